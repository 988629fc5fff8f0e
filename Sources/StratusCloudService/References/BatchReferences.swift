import StratusCloudModel
import StratusCloudStore

/// The references of one batch: first what they refuse, then what they make it write.
struct BatchReferences {
    /// Without those that are refused.
    private let items: [Int: ReferenceCheck.Item]
    /// See ``ReferenceCheck/loose``.
    private let loose: [Int: Set<ActingReference>]
    private var ledger: ReferrerLedger
    private let cascade: Cascade?
    /// By the numbers of their operations.
    let refusals: [Int: CloudError]

    /// Of a batch that deletes nothing and in which nothing refers to anything.
    init(nothingIn zone: ZoneNumber) {
        items = [:]
        refusals = [:]
        cascade = nil
        loose = [:]
        ledger = ReferrerLedger(zone: zone, isPublic: false)
    }

    /// - Parameter changes: what operations come to that nothing else refuses, by their numbers: the records before and
    ///   after, of which nil is a deletion.
    init(
        _ changes: [Int: (name: String, before: StoredRecord?, after: StoredRecord?)], work: CascadeWork,
        looking targets: ReferenceTargets, in transaction: any ReadTransaction
    ) throws {
        let all = changes.mapValues { ReferenceCheck.Item($0.name, before: $0.before, after: $0.after) }
        var check = ReferenceCheck(
            all, in: ReferenceGraph(zone: targets.zone, work: work, targets.authority, in: transaction),
            looking: targets)
        try check.run()
        let refusals = check.refusals
        self.refusals = refusals
        items = all.filter { refusals[$0.key] == nil }
        cascade = check.cascade
        loose = check.loose
        ledger = check.graph.ledger
    }

    /// Notes what an operation has written, at the zone's present version.
    mutating func wrote(_ index: Int, version: UInt64, in transaction: any WriteTransaction) throws {
        guard let item = items[index], item.changesAnything else { return }
        try ledger.replace(item.before, by: item.after, without: loose[index] ?? [], version: version, in: transaction)
    }

    /// Deletes what goes with the batch's deletions.
    /// - Parameters:
    ///   - deletion: Made only where there is something to be deleted.
    ///   - defers: Whether what is too much for one transaction is queued for further ones.
    /// - Throws: ``CascadeIsLarge`` if it is too much and nothing is to be queued.
    mutating func finish(
        _ deletion: @autoclosure () -> CascadeDeletion, in header: inout ZoneHeader, defers: Bool,
        _ transaction: any WriteTransaction
    ) throws {
        if let cascade {
            let deletion = deletion()
            let pending = try deletion.delete(cascade, from: &header, &ledger, in: transaction)
            guard defers || pending.isEmpty else { throw CascadeIsLarge() }
            deletion.queue(pending, of: header, in: transaction)
        }
        ledger.finish(in: transaction)
    }
}
