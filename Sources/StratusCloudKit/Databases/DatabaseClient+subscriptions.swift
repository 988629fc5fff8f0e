import Foundation
import StratusCloudModel

/// What became of a modification of subscriptions.
struct ModifySubscriptionsOutcome: Sendable {
    var saves: ItemResults<CKSubscription.ID, CKSubscription> = []
    var deletions: ItemResults<CKSubscription.ID, Void> = []
}

extension DatabaseClient {
    /// All subscriptions of the user in the database.
    func allSubscriptions() async throws -> [CKSubscription] {
        let coding = SubscriptionCoding(names: try await names())
        let results = try await send(.listSubscriptions) { answer throws(CloudTransportError) in
            try answer.subscriptions()
        }
        return try results.compactMap { result in
            if case .subscription(let subscription) = result { try coding.subscription(subscription) } else { nil }
        }
    }

    /// Subscriptions by name; one result for each, in order.
    func subscriptions(
        for subscriptionIDs: [CKSubscription.ID]
    ) async throws -> ItemResults<CKSubscription.ID, CKSubscription> {
        try Self.checkCount(subscriptionIDs.count)
        guard !subscriptionIDs.isEmpty else { return [] }
        let coding = SubscriptionCoding(names: try await names())
        let call = CloudCall.lookupSubscriptions(subscriptionIDs)
        let results = try await send(call) { answer throws(CloudTransportError) in try answer.subscriptions() }
        return zip(subscriptionIDs, results).map { name, result in (name, Self.result(result, coding)) }
    }

    /// Saves and deletes subscriptions.
    func modifySubscriptions(
        saving subscriptions: [CKSubscription], deleting subscriptionIDs: [CKSubscription.ID]
    ) async throws -> ModifySubscriptionsOutcome {
        try Self.checkCount(subscriptions.count + subscriptionIDs.count)
        var outcome = ModifySubscriptionsOutcome()
        guard !subscriptions.isEmpty || !subscriptionIDs.isEmpty else { return outcome }
        let coding = SubscriptionCoding(names: try await writersNames())
        var operations: [SubscriptionOperation] = []
        var refusals: [CKSubscription.ID: any Error] = [:]
        for subscription in subscriptions {
            do {
                try check(subscription)
                operations.append(.create(try coding.input(subscription)))
            } catch {
                refusals[subscription.subscriptionID] = error
            }
        }
        operations += subscriptionIDs.map { .delete(subscriptionID: $0, requestID: requestID) }
        var results: [SubscriptionResult] = []
        if !operations.isEmpty {
            results = try await send(.modifySubscriptions(operations)) { answer throws(CloudTransportError) in
                try answer.subscriptions()
            }
            guard results.count == operations.count else {
                throw NSError.cloudKit(.internalError, "The answer has another number of results than the request.")
            }
        }
        var answers = results.makeIterator()
        for subscription in subscriptions {
            let name = subscription.subscriptionID
            if let error = refusals[name] {
                outcome.saves.append((name, .failure(error)))
            } else if let answer = answers.next() {
                outcome.saves.append((name, Self.result(answer, coding).map { _ in subscription }))
            }
        }
        for name in subscriptionIDs {
            guard let answer = answers.next() else { break }
            if case .failed(_, let error) = answer {
                outcome.deletions.append((name, .failure(NSError.cloudKit(error))))
            } else {
                outcome.deletions.append((name, .success(())))
            }
        }
        return outcome
    }

    /// Whether a kind of subscription exists in this database.
    private func check(_ subscription: CKSubscription) throws {
        switch subscription.subscriptionType {
        case .query: try require([.public, .private], "There are no query subscriptions")
        case .recordZone: try require([.private], "There are no zone subscriptions")
        case .database: try require([.private, .shared], "There are no database subscriptions")
        }
    }

    private static func result(
        _ result: SubscriptionResult, _ coding: SubscriptionCoding
    ) -> Result<CKSubscription, any Error> {
        switch result {
        case .subscription(let subscription): Result { try coding.subscription(subscription) }
        case .failed(_, let error): .failure(NSError.cloudKit(error))
        case .deleted(let name):
            .failure(NSError.cloudKit(.unknownItem, "There is no subscription '\(name)'"))
        }
    }
}
