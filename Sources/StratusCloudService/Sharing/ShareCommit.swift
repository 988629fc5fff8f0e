import StratusCloudModel
import StratusCloudStore

extension Caller {
    /// Whose zone it is.
    static func owner(of zoneID: ZoneID, in context: CloudContext) -> Caller {
        Caller(context: context, principal: .user(zoneID.ownerRecordName ?? Caller.nobodyRecordName))
    }
}

/// A change of a share that is not a save of its owner's: what goes with every commit in a zone goes with it.
struct ShareCommit: Sendable {
    let zoneID: ZoneID
    let schema: Schema
    let schemas: SchemaCatalog
    /// Who makes it.
    let caller: Caller
    let now: Int64
    /// See ``ChangeOrigin/run``.
    let run: UInt64
    let makeID: @Sendable () -> String

    /// Changes shares of the zone, and saves their records anew so that feeds tell of it.
    /// - Parameter body: writes what it changes; gives the names of the share records.
    func run(
        in transaction: any WriteTransaction,
        _ body: (inout ZoneHeader, ShareLedger) throws -> [String]
    ) throws -> RecordModification.Outcome? {
        try schemas.check(schema, of: caller.context)
        guard let stored = try ZoneHeader.find(zoneID.zoneName, in: transaction) else { return nil }
        var header = stored
        let summary: SubscriptionSummary? = try transaction.value(at: SubscriptionKey.summary)
        let changes = ZoneChanges(areWatched: summary != nil)
        guard
            let shares = BatchShares(
                endingWith: header, of: zoneID, in: caller.context, now: now, makeID: makeID, transaction)
        else { return nil }
        var news: SharedNews?
        // Nobody's room is needed for what the service writes itself.
        try UsageLedger.keep(in: transaction, quota: Quota(database: .private)) { usage in
            let writer = RecordWriter(
                zone: zoneID, schema: schema, ledger: usage, changes: changes, shares: shares.ledger)
            // That somebody comes, asks or goes is nothing that the others in a share read from its record.
            let owner = Caller.owner(of: zoneID, in: caller.context)
            for name in try body(&header, shares.ledger) {
                try writer.update(name, by: owner, at: now, in: &header, transaction) { _ in }
            }
            news = try shares.finish(&header, writer, zoneID, in: transaction)
        }
        guard header != stored else { return nil }
        try ZoneChange.record(
            &header, named: zoneID.zoneName, by: ChangeOrigin(run: run, now: now), in: transaction)
        news?.queue(at: header.changeVersion, in: transaction)
        let matching = SubscriptionMatching(
            scope: .private, context: caller.context, schema: schema, originClientID: caller.clientID,
            trace: caller.trace, now: now,
            makeID: makeID, transaction: transaction)
        return RecordModification.Outcome(
            results: [], notifications: try matching.match(changes.records, in: zoneID, summary), news: news,
            changesDirectory: shares.ledger.changesDirectory)
    }
}
