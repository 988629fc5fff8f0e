import Foundation

/// Saves and deletes subscriptions.
///
/// `@unchecked Sendable`: for the reason of its superclass.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    open var subscriptionsToSave: [CKSubscription]?
    /// The subscriptions to delete.
    open var subscriptionIDsToDelete: [CKSubscription.ID]?
    /// Told what became of each subscription to save.
    open var perSubscriptionSaveBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Told what became of each subscription to delete.
    open var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
    /// Told what became of all of it; what concerns one subscription is not here.
    open var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// As ``modifySubscriptionsResultBlock``, before Swift had results. Deprecated at Apple.
    open var modifySubscriptionsCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    private var outcome = ModifySubscriptionsOutcome()

    /// An operation that does nothing yet.
    public override init() { super.init() }

    /// An operation that saves and deletes subscriptions.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func run() async throws {
        // A long-lived one may be sent again, by this process or another, when the subscriptions are others already.
        var client = client
        client.requestID = kept?.id
        let outcome = try await client.modifySubscriptions(
            saving: subscriptionsToSave ?? [], deleting: subscriptionIDsToDelete ?? [])
        var events = outcome.saves.map { OperationEvent(.saved, $0 as NSString, $1) }
        events += outcome.deletions.map { OperationEvent(.deleted, $0 as NSString, $1) }
        await tell(events)
    }

    override func handle(_ event: OperationEvent) async {
        guard let subscriptionID = event.item as? NSString as String? else { return }
        if event.kind == .saved {
            let result = event.result(CKSubscription.self)
            outcome.saves.append((subscriptionID, result))
            await call { [self] in perSubscriptionSaveBlock?(subscriptionID, result) }
        } else {
            outcome.deletions.append((subscriptionID, event.outcome))
            await call { [self] in perSubscriptionDeleteBlock?(subscriptionID, event.outcome) }
        }
    }

    override var longLivedName: String? { "ModifySubscriptions" }

    override func encodeTask(with coder: NSCoder, files: OperationFiles) throws {
        coder.encode(list: subscriptionsToSave, forKey: "SubscriptionsToSave")
        coder.encode(list: subscriptionIDsToDelete.map { $0.map { $0 as NSString } }, forKey: "SubscriptionIDsToDelete")
    }

    override func decodeTask(with coder: NSCoder) -> Bool {
        let classes: [AnyClass] = [
            CKQuerySubscription.self, CKRecordZoneSubscription.self, CKDatabaseSubscription.self,
        ]
        subscriptionsToSave = coder.decodedList(classes, "SubscriptionsToSave")
        subscriptionIDsToDelete = coder.decodedList([NSString.self], "SubscriptionIDsToDelete")
        return true
    }

    override func finish(_ result: Result<Void, any Error>) async {
        await call { [self] in
            if let block = modifySubscriptionsResultBlock {
                block(result)
                return
            }
            let failures = outcome.saves.failures().merging(outcome.deletions.failures()) { first, _ in first }
            modifySubscriptionsCompletionBlock?(
                outcome.saves.values(), outcome.deletions.names(),
                result.failure ?? NSError.partialFailure(failures, "Failed to modify some subscriptions"))
        }
    }
}
