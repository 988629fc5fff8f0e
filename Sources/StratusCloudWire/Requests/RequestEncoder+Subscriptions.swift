import StratusCloudModel

extension RequestEncoder {
    /// `subscriptions/list`.
    public func listSubscriptions() throws(CloudError) -> [UInt8] {
        try body { _ in }
    }

    /// `subscriptions/lookup`.
    public func lookupSubscriptions(_ names: [String]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("subscriptions")
            writer.beginArray()
            for name in names {
                writer.beginObject()
                writer.key("subscriptionID")
                writer.string(name)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// `subscriptions/modify`. All deletions have the name of the first one's request, or none.
    public func modifySubscriptions(_ operations: [SubscriptionOperation]) throws(CloudError) -> [UInt8] {
        try body { (writer) throws(CloudError) in
            writer.key("operations")
            writer.beginArray()
            for operation in operations { try write(operation, to: &writer) }
            writer.endArray()
            writer.optional("requestID", operations.lazy.compactMap(\.requestID).first)
        }
    }

    private func write(_ operation: SubscriptionOperation, to writer: inout JSONWriter) throws(CloudError) {
        writer.beginObject()
        writer.key("operationType")
        switch operation {
        case .create(let input):
            writer.constant("create")
            try write(input, to: &writer)
        case .update(let input):
            writer.constant("update")
            try write(input, to: &writer)
        case .delete(let name, _):
            writer.constant("delete")
            writer.key("subscription")
            writer.beginObject()
            writer.key("subscriptionID")
            writer.string(name)
            writer.endObject()
        }
        writer.endObject()
    }

    private func write(_ input: SubscriptionInput, to writer: inout JSONWriter) throws(CloudError) {
        if case .query(let query) = input.kind { try query.query.checkNumbers() }
        writer.key("subscription")
        writer.beginObject()
        writer.subscriptionMembers(input.subscriptionID, input.kind, input.notificationInfo, .request)
        writer.endObject()
    }
}
