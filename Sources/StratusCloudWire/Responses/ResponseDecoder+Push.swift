import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `tokens/create`: where the client polls for its notifications.
    public func courierAddress(_ body: [UInt8]) throws(CloudError) -> String {
        try read(body) { (body) throws(CloudError) in try body.required("webcourierURL").string() }
    }
}
