import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// `subscriptions/list`: the caller's subscriptions in a database, by name.
    public func listSubscriptions(
        in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [Subscription] {
        let place = try SubscriptionPlace(scope, caller)
        return try await reading(place.partition) { transaction in
            try SubscriptionTable.all(of: place.user, scope, in: transaction).map(\.subscription)
        }
    }

    /// `subscriptions/lookup`: one result for each name, in order.
    public func lookupSubscriptions(
        _ names: [String], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [SubscriptionResult] {
        let place = try SubscriptionPlace(scope, caller)
        try checkSubscriptionCount(names.count)
        let found = try await reading(place.partition) { transaction in
            try transaction.get(names.map { SubscriptionKey.subscription($0, of: place.user, scope) }).map { bytes in
                try bytes.map { try StoredSubscription(stored: $0).subscription }
            }
        }
        return zip(names, found).map { name, subscription in
            subscription.map { .subscription($0) }
                ?? .failed(subscriptionID: name, Self.subscriptionNotFound(name))
        }
    }

    /// `subscriptions/modify`: one result for each operation, in order; each stands alone.
    ///
    /// A subscription of the same name is replaced. One that watches the same under another name is refused, so that
    /// nobody is told twice.
    public func modifySubscriptions(
        _ operations: [SubscriptionOperation], in scope: DatabaseScope, as caller: Caller
    ) async throws(CloudError) -> [SubscriptionResult] {
        let place = try SubscriptionPlace(scope, caller)
        try checkSubscriptionCount(operations.count)
        var seen: Set<String> = []
        for name in operations.compactMap(\.subscriptionID) where !seen.insert(name).inserted {
            throw CloudError(.badRequest, "You can't modify the same subscription twice: subscription '\(name)'")
        }
        let check = SubscriptionCheck(scope: scope, caller: caller, schema: try await schema(of: caller.context))
        let now = environment.now()
        let prepared = operations.map { PreparedSubscription($0, check, place, at: now, environment.random.uuid) }
        // Each is refused before it has written anything, so that one transaction serves them all.
        let results = try await writing(place.partition) { transaction in
            var count = try SubscriptionTable.count(of: place.user, scope, in: transaction)
            return try prepared.map { try $0.run(counting: &count, in: transaction) }
        }
        for case .deleted(let name) in results {
            push.hub.forget(name, scope, of: PushOwner(context: caller.context, userRecordName: place.user))
        }
        return results
    }

    private func checkSubscriptionCount(_ count: Int) throws(CloudError) {
        guard count <= ServiceLimits.subscriptionsPerRequest else {
            throw CloudError(
                .badRequest,
                "Your request contains \(count) subscriptions which is more than the maximum number of "
                    + "subscriptions in a single request (\(ServiceLimits.subscriptionsPerRequest))")
        }
    }

    static func subscriptionNotFound(_ name: String) -> CloudError {
        CloudError(.notFound, "subscription '\(name.prefix(ModelLimits.nameLength))' does not exist")
    }
}

/// Whose subscriptions, in which database: those of a shared database lie beside those of the private one.
struct SubscriptionPlace: Sendable {
    let scope: DatabaseScope
    let user: String
    let partition: Partition

    init(_ scope: DatabaseScope, _ caller: Caller) throws(CloudError) {
        try Authorization.checkDatabase(scope, caller)
        guard let user = caller.userRecordName else { throw Authorization.authenticationRequired }
        self.scope = scope
        self.user = user
        partition =
            scope == .public
            ? .publicDatabase(of: caller.context) : .privateDatabase(of: user, in: caller.context)
    }
}

extension Subscription.Kind {
    /// The zone that must be there.
    var zoneID: ZoneID? {
        switch self {
        case .query(let query): query.zoneID
        case .zone(let zone, _): zone
        case .database: nil
        }
    }
}
