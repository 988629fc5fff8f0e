import Foundation

// The same with completion handlers.
extension CKDatabase {
    /// All subscriptions of the current user in this database.
    @preconcurrency
    public func fetchAllSubscriptions(completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void)
    {
        Completion.run({ try await self.allSubscriptions() }, completionHandler)
    }

    /// Fetches a subscription.
    @preconcurrency
    public func fetch(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.subscription(for: subscriptionID) }, completionHandler)
    }

    /// Saves a subscription.
    @preconcurrency
    public func save(
        _ subscription: CKSubscription, completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.save(subscription) }, completionHandler)
    }

    /// Deletes a subscription.
    @preconcurrency
    public func delete(
        withSubscriptionID subscriptionID: CKSubscription.ID,
        completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.deleteSubscription(withID: subscriptionID) }, completionHandler)
    }

    /// Fetches subscriptions.
    @preconcurrency
    public func fetch(
        withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.subscriptions(for: subscriptionIDs) }, completionHandler)
    }

    /// Saves and deletes subscriptions.
    @preconcurrency
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
                        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.run(
            {
                try await self.modifySubscriptions(
                    saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
            }, completionHandler)
    }
}
