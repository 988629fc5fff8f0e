import StratusCloudModel
import StratusCloudStore

/// What a zone's making and deletion mean for those who watch the database.
struct ZoneWatch: Sendable {
    let zone: ZoneID
    let owner: String
    let context: CloudContext
    let schema: Schema
    let originClientID: String?
    let trace: TraceContext?
    let now: Int64
    let makeID: @Sendable () -> String

    func created(in transaction: any WriteTransaction) throws -> [QueuedNotification] {
        try matching(in: transaction).matchZoneItself(zone, try transaction.value(at: SubscriptionKey.summary))
    }

    /// Takes the zone's subscriptions away with it.
    func deleted(in transaction: any WriteTransaction) throws -> [QueuedNotification] {
        guard let before: SubscriptionSummary = try transaction.value(at: SubscriptionKey.summary) else { return [] }
        var summary = before
        for stored in try SubscriptionTable.all(of: owner, .private, in: transaction)
        where stored.subscription.kind.zoneID?.zoneName == zone.zoneName {
            SubscriptionTable(transaction).remove(stored, of: owner, .private, from: &summary)
        }
        if summary != before { SubscriptionTable(transaction).store(summary) }
        return try matching(in: transaction).matchZoneItself(zone, summary)
    }

    private func matching(in transaction: any WriteTransaction) -> SubscriptionMatching {
        SubscriptionMatching(
            scope: .private, context: context, schema: schema, originClientID: originClientID, trace: trace, now: now,
            makeID: makeID, transaction: transaction)
    }
}

extension CloudService {
    func zoneWatch(_ zone: ZoneID, _ caller: Caller) async throws(CloudError) -> ZoneWatch {
        ZoneWatch(
            zone: zone, owner: caller.userRecordName ?? "", context: caller.context,
            schema: try await schema(of: caller.context), originClientID: caller.clientID, trace: caller.trace,
            now: environment.now(),
            makeID: environment.random.uuid)
    }
}
