import StratusCloudModel
import StratusCloudStore

/// One transaction of a cascade that is too large for the one that began it.
///
/// A record that a `VALIDATE` reference or a child still holds stays, and what refers to it stays with it: the deletion
/// was acknowledged, so there is nobody to refuse it to.
struct CascadeStep: Sendable {
    let zoneID: ZoneID
    let schema: Schema
    let schemas: SchemaCatalog
    let now: Int64
    /// See ``ChangeOrigin/run``.
    let run: UInt64
    let work: CascadeWork
    let scope: DatabaseScope
    let context: CloudContext
    /// Makes the identifiers of notifications.
    let makeID: @Sendable () -> String

    /// - Returns: what is to be told when the transaction is durable; nil when there is nothing more to do.
    func run(in transaction: any WriteTransaction) throws -> RecordModification.Outcome? {
        try schemas.check(schema, of: context)
        let found = try transaction.get([Keyspace.zone(zoneID.zoneName), SubscriptionKey.summary])
        guard let stored = try ZoneHeader.named(zoneID.zoneName, stored: found[0]) else { return nil }
        var header = stored
        let range = Keyspace.cascades(zone: header.number)
        let queued = try transaction.entries(in: range, limit: work.targetsPerStep)
        guard !queued.isEmpty else { return nil }
        let roots = try queued.map { entry in
            let queued = try QueuedCascade(stored: entry.value)
            return Cascade.Root(
                name: Keyspace.name(in: entry.key, behind: range.lower), version: queued.version, after: queued.after)
        }
        var graph = ReferenceGraph(
            zone: header.number, work: work, ReferenceAuthority(scope, schema, context), in: transaction)
        let cascade = try settled(roots, in: &graph)
        let changes = ZoneChanges(areWatched: found[1] != nil)
        let shares = BatchShares(endingWith: header, of: zoneID, in: context, now: now, makeID: makeID, transaction)
        var news: SharedNews?
        // Deletions are never refused for want of room.
        try UsageLedger.keep(in: transaction, quota: Quota(database: .private)) { usage in
            let writer = RecordWriter(
                zone: zoneID, schema: schema, ledger: usage, changes: changes, shares: shares?.ledger,
                publicContext: scope == .public ? context : nil)
            let deletion = CascadeDeletion(writer: writer, now: now, work: work)
            let pending = try deletion.delete(cascade, from: &header, &graph.ledger, in: transaction)
            for root in roots where !pending.contains(root.name) {
                goOn(with: root, after: cascade.continuations[root.name], in: header.number, transaction)
            }
            // Those queued before keep their version.
            deletion.queue(pending.subtracting(roots.map(\.name)), of: header, in: transaction)
            news = try shares?.finish(&header, writer, zoneID, in: transaction)
        }
        graph.ledger.finish(in: transaction)
        if header != stored {
            let origin = ChangeOrigin(run: run, now: now)
            try ZoneChange.record(
                &header, after: stored.version, in: scope, named: zoneID.zoneName, by: origin, transaction)
            news?.queue(at: header.changeVersion, in: transaction)
        }
        let matching = SubscriptionMatching(
            scope: scope, context: context, schema: schema, originClientID: nil, trace: nil, now: now, makeID: makeID,
            transaction: transaction)
        let summary = try found[1].map { try SubscriptionSummary(stored: $0) }
        return RecordModification.Outcome(
            results: [], notifications: try matching.match(changes.records, in: zoneID, summary), news: news,
            changesDirectory: shares?.ledger.changesDirectory ?? false)
    }

    /// Queues what is left of a root whose holders were taken up so far, or forgets the root if nothing is.
    private func goOn(
        with root: Cascade.Root, after last: String?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) {
        let key = Keyspace.cascade(zone: zone, target: root.name)
        guard let last, let version = root.version else { return transaction.clear(key) }
        transaction.set(key, QueuedCascade(version: version, after: last).stored)
    }

    /// What goes, when all is left out that is held.
    private func settled(_ roots: [Cascade.Root], in graph: inout ReferenceGraph) throws -> Cascade {
        var kept: Set<String> = []
        while true {
            let cascade = try Cascade(from: roots, deletesRoots: false, keeping: kept, in: &graph)
            let held = try cascade.victims.filter { try cascade.holder(of: $0.name, in: &graph) != nil }
            guard !held.isEmpty else { return cascade }
            kept.formUnion(held.map(\.name))
        }
    }
}
