import Foundation

/// Fetches subscriptions, by name or all of them.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions; nil where all are meant.
    open var subscriptionIDs: [CKSubscription.ID]?
    /// Told what became of each subscription.
    open var perSubscriptionResultBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one subscription is not here.
    open var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``fetchSubscriptionsResultBlock``, before Swift had results. Deprecated at Apple.
    open var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

    private var isAboutAll = false
    private var results: ItemResults<CKSubscription.ID, CKSubscription> = []

    /// An operation that fetches nothing yet.
    public required override init() { super.init() }

    /// An operation that fetches subscriptions.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// An operation that fetches all subscriptions.
    open class func fetchAllSubscriptionsOperation() -> Self {
        let operation = Self.init()
        operation.isAboutAll = true
        return operation
    }

    override func run() async throws {
        let results: ItemResults<CKSubscription.ID, CKSubscription>
        if isAboutAll {
            results = try await client.allSubscriptions().map { ($0.subscriptionID, .success($0)) }
        } else {
            results = try await client.subscriptions(for: subscriptionIDs ?? [])
        }
        await tell(results.map { OperationEvent(.fetched, $0 as NSString, $1) })
    }

    override func handle(_ event: OperationEvent) async {
        guard let subscriptionID = event.item as? NSString as String? else { return }
        let result = event.result(CKSubscription.self)
        results.append((subscriptionID, result))
        await call { [self] in perSubscriptionResultBlock?(subscriptionID, result) }
    }

    override var longLivedName: String? { "FetchSubscriptions" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: subscriptionIDs.map { $0.map { $0 as NSString } }, forKey: "SubscriptionIDs")
        coder.encode(isAboutAll, forKey: "IsAboutAll")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        subscriptionIDs = coder.decodedList([NSString.self], "SubscriptionIDs")
        isAboutAll = coder.decodeBool(forKey: "IsAboutAll")
        return true
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = fetchSubscriptionsResultBlock {
                block(result)
                return
            }
            let subscriptions = Dictionary(results.values().map { ($0.subscriptionID, $0) }) { first, _ in first }
            fetchSubscriptionCompletionBlock?(
                result.failure == nil ? subscriptions : nil,
                result.failure ?? NSError.partialFailure(results.failures(), "Failed to fetch some subscriptions"))
        }
    }
}
