import Foundation
import StratusCloudModel

extension CKSyncEngine {
    /// Sees to it that there is a subscription to the database: the app's, one that is there, or one of the engine's own.
    /// - Throws: what passes. A database that takes no subscription is fetched without.
    func subscribe(_ client: DatabaseClient) async throws {
        guard state.read({ $0.subscriptionID == nil }) else { return }
        do {
            let name = try await findSubscription(client)
            state.change { $0.subscriptionID = name }
        } catch  where CKError(any: error).isTransient {
            throw error
        } catch {}
    }

    private func findSubscription(_ client: DatabaseClient) async throws -> CKSubscription.ID {
        let known = try await client.allSubscriptions().compactMap { $0 as? CKDatabaseSubscription }
        let wanted = subscriptionID
        // Whatever it is called: the server takes no second one that tells of the same.
        let found = known.first { $0.subscriptionID == wanted } ?? known.first { $0.recordType == nil }
        if let found { return found.subscriptionID }
        let subscription = CKDatabaseSubscription(
            subscriptionID: wanted ?? "CKSyncEngine-\(client.scope.rawValue)")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        let outcome = try await client.modifySubscriptions(saving: [subscription], deleting: [])
        return try onlyItem(outcome.saves).subscriptionID
    }
}
