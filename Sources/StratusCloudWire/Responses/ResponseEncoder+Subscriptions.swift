import StratusCloudModel

extension ResponseEncoder {
    /// The answer to `subscriptions/list`.
    public func listSubscriptions(_ subscriptions: [Subscription]) -> [UInt8] {
        list("subscriptions", subscriptions, syncToken: nil) { write($0, to: &$1) }
    }

    /// The answer to `subscriptions/lookup` and `subscriptions/modify`: one item for each, in their order.
    public func subscriptions(_ results: [SubscriptionResult]) -> [UInt8] {
        list("subscriptions", results, syncToken: nil) { write($0, to: &$1) }
    }

    /// The answer to `tokens/create` and `tokens/register`.
    ///
    /// `eventStreamURL` is an extension of Apple's protocol: the same notifications as server-sent events.
    public func pushRegistration(
        _ registration: PushRegistration, webcourierURL: String, eventStreamURL: String
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginObject()
        writer.key("apnsEnvironment")
        writer.string(registration.environment.rawValue)
        writer.key("apnsToken")
        writer.string(registration.token)
        writer.key("webcourierURL")
        writer.string(webcourierURL)
        writer.key("eventStreamURL")
        writer.string(eventStreamURL)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ result: SubscriptionResult, to writer: inout JSONWriter) {
        switch result {
        case .subscription(let subscription): write(subscription, to: &writer)
        case .deleted(let name):
            writer.beginObject()
            writer.key("subscriptionID")
            writer.string(name)
            writer.key("deleted")
            writer.boolean(true)
            writer.endObject()
        case .failed(let name, let error):
            writer.beginObject()
            writer.optional("subscriptionID", name)
            writeMembers(of: error, to: &writer)
            writer.endObject()
        }
    }

    private func write(_ subscription: Subscription, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.subscriptionMembers(
            subscription.subscriptionID, subscription.kind, subscription.notificationInfo, form)
        writer.endObject()
    }
}
