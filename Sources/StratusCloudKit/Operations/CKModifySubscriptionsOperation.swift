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
        outcome = try await client.modifySubscriptions(
            saving: subscriptionsToSave ?? [], deleting: subscriptionIDsToDelete ?? [])
        for (subscriptionID, result) in outcome.saves {
            await call { [self] in perSubscriptionSaveBlock?(subscriptionID, result) }
        }
        for (subscriptionID, result) in outcome.deletions {
            await call { [self] in perSubscriptionDeleteBlock?(subscriptionID, result) }
        }
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
