import StratusCloudModel

extension ResponseDecoder {
    /// The answer to `subscriptions/list`.
    public func subscriptions(_ body: [UInt8]) throws(CloudError) -> [Subscription] {
        try read(body) { (body) throws(CloudError) in
            try read("subscriptions", of: body) { (item) throws(CloudError) in try item.subscription() }
        }
    }

    /// The answer to `subscriptions/lookup` or `subscriptions/modify`.
    public func subscriptionResults(_ body: [UInt8]) throws(CloudError) -> [SubscriptionResult] {
        let zoneID = zoneID
        return try read(body) { (body) throws(CloudError) in
            try read("subscriptions", of: body) { (item) throws(CloudError) in
                try item.subscriptionResult(zoneID)
            }
        }
    }
}

extension JSONReader {
    fileprivate func subscriptionResult(_ zone: ZoneID) throws(CloudError) -> SubscriptionResult {
        if member("serverErrorCode") != nil {
            return .failed(subscriptionID: try text("subscriptionID"), try cloudError(in: zone))
        }
        if try flag("deleted") == true { return .deleted(subscriptionID: try required("subscriptionID").string()) }
        return .subscription(try subscription())
    }

    fileprivate func subscription() throws(CloudError) -> Subscription {
        let input = try subscriptionInput()
        return Subscription(
            subscriptionID: try required("subscriptionID").string(), kind: input.kind,
            notificationInfo: input.notificationInfo)
    }
}
