/// One operation of `subscriptions/modify`.
public enum SubscriptionOperation: Hashable, Sendable {
    /// Makes a subscription, or replaces the one of this name. Without a name the service makes one.
    case create(SubscriptionInput)
    /// Replaces a subscription that must be there.
    case update(SubscriptionInput)
    /// Takes away the subscription of this name. `requestID` names the request that the operation came with, so that it is
    /// not carried out again when the request comes again; nil for one that is not sent again.
    case delete(subscriptionID: String, requestID: String? = nil)

    /// The name that the operation is about, where it has one.
    public var subscriptionID: String? {
        switch self {
        case .create(let input), .update(let input): input.subscriptionID
        case .delete(let subscriptionID, _): subscriptionID
        }
    }

    /// The name of the request that the operation came with.
    public var requestID: String? { if case .delete(_, let requestID) = self { requestID } else { nil } }
}

/// A subscription as a client sends it.
public struct SubscriptionInput: Hashable, Sendable {
    /// nil asks the service for a name.
    public var subscriptionID: String?
    /// What is to be watched.
    public var kind: Subscription.Kind
    /// What the notification says.
    public var notificationInfo: NotificationInfo?

    /// Makes a subscription to be sent.
    public init(subscriptionID: String? = nil, kind: Subscription.Kind, notificationInfo: NotificationInfo? = nil) {
        self.subscriptionID = subscriptionID
        self.kind = kind
        self.notificationInfo = notificationInfo
    }
}

/// What became of one subscription operation or lookup.
public enum SubscriptionResult: Hashable, Sendable {
    case subscription(Subscription)
    case deleted(subscriptionID: String)
    /// The name is nil only where the operation named none and none was made.
    case failed(subscriptionID: String?, CloudError)
}
