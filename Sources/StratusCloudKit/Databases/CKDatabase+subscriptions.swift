import Foundation

extension CKDatabase {
    /// All subscriptions of the current user in this database.
    public func allSubscriptions() async throws -> [CKSubscription] { try await client.allSubscriptions() }

    /// Fetches a subscription.
    /// - Throws: `CKError.unknownItem` if there is none.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        try onlyItem(try await client.subscriptions(for: [subscriptionID]))
    }

    /// Saves a subscription, in the place of one of the same name.
    @discardableResult
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        try onlyItem(try await client.modifySubscriptions(saving: [subscription], deleting: []).saves)
    }

    /// Deletes a subscription.
    /// - Throws: `CKError.unknownItem` if there is none.
    @discardableResult
    public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws -> CKSubscription.ID {
        try onlyItem(try await client.modifySubscriptions(saving: [], deleting: [subscriptionID]).deletions)
        return subscriptionID
    }

    /// Fetches subscriptions. What concerns one stands in its place.
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        byName(try await client.subscriptions(for: ids))
    }

    /// Saves and deletes subscriptions. What concerns one stands in its place.
    @discardableResult
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        let outcome = try await client.modifySubscriptions(
            saving: subscriptionsToSave, deleting: subscriptionIDsToDelete)
        return (byName(outcome.saves), byName(outcome.deletions))
    }
}
