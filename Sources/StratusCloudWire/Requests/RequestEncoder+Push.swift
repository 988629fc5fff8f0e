import StratusCloudModel

extension RequestEncoder {
    /// `tokens/create`: for a client by its own name, which its other requests carry too.
    public func createPushToken(clientID: String) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("apnsEnvironment")
            writer.string(APNsEnvironment.development.rawValue)
            writer.optional("clientId", clientID)
        }
    }
}
