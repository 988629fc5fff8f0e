import StratusCloudModel
import StratusCloudStore

/// Keeps the subscriptions of a database with everything that goes with them.
struct SubscriptionTable {
    private let transaction: any WriteTransaction

    init(_ transaction: any WriteTransaction) { self.transaction = transaction }

    func summary() throws -> SubscriptionSummary {
        try transaction.value(at: SubscriptionKey.summary) ?? SubscriptionSummary()
    }

    func store(_ summary: SubscriptionSummary) {
        if summary.isEmpty {
            transaction.clear(SubscriptionKey.summary)
        } else {
            transaction.set(SubscriptionKey.summary, summary)
        }
    }

    func find(_ id: String, of user: String, _ scope: DatabaseScope) throws -> StoredSubscription? {
        try transaction.value(at: SubscriptionKey.subscription(id, of: user, scope))
    }

    /// All of one user.
    static func all(
        of user: String, _ scope: DatabaseScope, in transaction: any ReadTransaction
    ) throws -> [StoredSubscription] {
        try transaction.entries(
            in: SubscriptionKey.subscriptions(of: user, scope), limit: ServiceLimits.subscriptionsPerDatabase
        ).map { try StoredSubscription(stored: $0.value) }
    }

    /// How many a user has.
    static func count(
        of user: String, _ scope: DatabaseScope, in transaction: any ReadTransaction
    ) throws -> Int {
        let range = SubscriptionKey.subscriptions(of: user, scope)
        return try transaction.entries(in: range, limit: ServiceLimits.subscriptionsPerDatabase).count
    }

    func add(
        _ stored: StoredSubscription, of user: String, _ scope: DatabaseScope, to summary: inout SubscriptionSummary
    ) {
        let id = stored.subscription.subscriptionID
        transaction.set(SubscriptionKey.subscription(id, of: user, scope), stored)
        let hash = StoredSubscription.contentHash(of: stored.subscription.kind)
        transaction.set(SubscriptionKey.content(hash, of: user, scope), Array(id.utf8))
        for place in stored.places {
            transaction.set(SubscriptionKey.index(place, SubscriptionName(user: user, id: id)), [])
        }
        summary.add(stored.places)
    }

    /// Takes a subscription away; notifications that wait for its owner go with it, unless it ends by firing.
    func remove(
        _ stored: StoredSubscription, of user: String, _ scope: DatabaseScope, from summary: inout SubscriptionSummary
    ) {
        let id = stored.subscription.subscriptionID
        transaction.clear(SubscriptionKey.subscription(id, of: user, scope))
        let hash = StoredSubscription.contentHash(of: stored.subscription.kind)
        transaction.clear(SubscriptionKey.content(hash, of: user, scope))
        for place in stored.places {
            transaction.clear(SubscriptionKey.index(place, SubscriptionName(user: user, id: id)))
        }
        transaction.clear(PushKey.queue(of: user, scope, subscriptionID: id))
        summary.remove(stored.places)
    }
}
