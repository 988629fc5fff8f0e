import StratusCloudModel
import StratusCloudStore

/// What one batch of record operations has to do with the shares of its zone.
final class BatchShares {
    let ledger: ShareLedger
    let planning: SharePlanning
    let operations: [String: PreparedOperation]
    private let scope: DatabaseScope
    /// By the names of share records.
    private var plans: [String: SharePlan] = [:]
    /// New shares of hierarchies, by the names of their roots.
    private var roots: [String: StoredShare] = [:]
    /// Numbers for new shares.
    private var numbers: ZoneSharing
    private var wholeZone: String?

    var view: ZoneView { planning.view }
    var transaction: any WriteTransaction { ledger.transaction }

    init(_ planning: SharePlanning, _ operations: [PreparedOperation], scope: DatabaseScope) {
        self.planning = planning
        self.scope = scope
        ledger = planning.ledger
        numbers = planning.header.sharing
        self.operations = Dictionary(operations.map { ($0.recordName, $0) }) { first, _ in first }
    }

    /// For deletions that nobody asks for just now; nil if nothing of the zone is shared.
    convenience init?(
        endingWith header: ZoneHeader, of zoneID: ZoneID, in context: CloudContext, now: Int64,
        makeID: @escaping () -> String, _ transaction: any WriteTransaction
    ) {
        guard header.sharing.isAnything else { return nil }
        let owner = Caller.owner(of: zoneID, in: context)
        let ledger = ShareLedger(
            ShareLedger.Place(context: context, owner: owner.authorRecordName, zoneName: zoneID.zoneName),
            zone: header.number, now: now, in: transaction)
        self.init(
            SharePlanning(
                zoneID: zoneID, header: header, view: ZoneView(header: header, access: nil), caller: owner,
                setting: ShareSetting(), now: now, makeID: makeID, ledger: ledger), [], scope: .private)
    }

    // MARK: - Share records

    /// - Throws: why no share may be saved here at all.
    func checkSave(_ operation: PreparedOperation, _ stored: StoredRecord?) throws {
        let zoneName = planning.zoneID.zoneName
        guard scope != .public, ReservedZones.hierarchy(of: zoneName) != nil else {
            throw CloudError(.badRequest, "only records of custom zones and files in private databases can be shared")
        }
        if let stored {
            guard stored.recordType == SystemRecordType.share else {
                throw CloudError(.badRequest, "record '\(stored.recordName)' is not a share")
            }
            return
        }
        guard view.access == nil else { throw Self.denied("CREATE") }
        let isWhole = operation.recordName == SystemRecordType.zoneShareName
        guard !isWhole || !Names.isReserved(zoneName) else {
            throw CloudError(.badRequest, "zone '\(zoneName)' cannot be shared as a whole")
        }
        guard operation.input.recordType == SystemRecordType.share else {
            throw CloudError(.badRequest, "record '\(operation.recordName)' is not a share")
        }
        guard isWhole == (operation.input.share?.value.forRecord == nil) else {
            throw CloudError(
                .badRequest,
                isWhole
                    ? "the share of a zone has no 'forRecord': record '\(operation.recordName)'"
                    : "Cannot share - no such record exists to share: share '\(operation.recordName)' needs 'forRecord'"
            )
        }
        let name = operation.recordName
        guard Names.isReserved(name) == false else {
            throw CloudError(.badRequest, "record name '\(name)' must not begin with '_'")
        }
    }

    func planSave(of operation: PreparedOperation, over stored: StoredRecord?) throws {
        if let stored {
            plans[operation.recordName] = try planning.changed(operation, stored)
            return
        }
        guard let root = operation.input.share?.value.forRecord else {
            guard numbers.hierarchies == 0, roots.isEmpty else {
                throw CloudError(
                    .badRequest, "a zone that has shares of records cannot be shared as a whole",
                    extensionCode: .alreadyShared)
            }
            wholeZone = operation.recordName
            plans[operation.recordName] = try planning.made(operation, numbers.next(), root: nil)
            return
        }
        guard numbers.whole == nil, wholeZone == nil else {
            throw CloudError(
                .badRequest, "records of a zone that is shared as a whole cannot be shared",
                extensionCode: .alreadyShared)
        }
        guard numbers.hierarchies + UInt64(roots.count) < UInt64(ShareLimits.sharesPerZone) else {
            throw CloudError(.badRequest, "the zone has \(ShareLimits.sharesPerZone) shares, which is the maximum")
        }
        let record = try storedRoot(root, for: operation)
        let plan = try planning.made(operation, numbers.next(), root: record)
        guard case .save(let whole, _) = plan, roots[root.recordName] == nil else {
            throw ShareLedger.nested(root.recordName)
        }
        roots[root.recordName] = whole.share
        plans[operation.recordName] = plan
    }

    /// The record to be shared, as it is stored or as the batch makes it.
    private func storedRoot(_ root: ShareInput.Root, for operation: PreparedOperation) throws -> StoredRecord {
        let missing = CloudError(
            .badRequest,
            "Cannot share - no such record exists to share: '\(root.recordName.prefix(64))', which share "
                + "'\(operation.recordName)' is for")
        let stored = try transaction.record(named: root.recordName, in: view.number)
        if let stored, stored.recordType == SystemRecordType.share { throw missing }
        if try ledger.liveMember(root.recordName) != nil { throw ShareLedger.nested(root.recordName) }
        if let stored, try ledger.share(rootedIn: stored) != nil { throw ShareLedger.nested(root.recordName) }
        if let saving = operations[root.recordName] {
            guard !saving.kind.isDeletion, !saving.isShare else { throw missing }
            return stored
                ?? StoredRecord(
                    recordName: root.recordName, recordType: saving.input.recordType ?? "", version: 0, fields: [:],
                    created: RecordStamp(timestamp: planning.now, userRecordName: ""),
                    modified: RecordStamp(timestamp: planning.now, userRecordName: ""))
        }
        guard let stored else { throw missing }
        try ledger.hierarchy.checkRoot(stored, in: view.number, transaction)
        guard let tag = root.recordChangeTag else {
            throw CloudError(
                .badRequest,
                "share '\(operation.recordName)' must be saved together with record '\(root.recordName)', or have its "
                    + "recordChangeTag")
        }
        guard tag == stored.changeTag else {
            throw CloudError(.conflict, "client oplock error updating record")
        }
        return stored
    }

    /// - Returns: whether the share record goes; otherwise only the caller does.
    func planEnd(of record: StoredRecord) throws -> Bool {
        let plan = try planning.ended(record)
        plans[record.recordName] = plan
        if case .stop = plan { return true }
        return false
    }

    func shortGUID(of shareName: String) -> String? {
        guard case .save(let whole, _)? = plans[shareName] else { return nil }
        return whole.share.shortGUID
    }

    // MARK: - Carrying out

    /// Settles what depends on other operations of the batch: the roots of new shares get them.
    func decideShares(
        _ modification: RecordModification, _ decisions: inout [RecordModification.Decision], _ header: inout ZoneHeader
    ) throws {
        guard !plans.isEmpty else { return }
        var refused: Set<String> = []
        for (index, operation) in modification.operations.enumerated() {
            guard plans[operation.recordName] != nil else { continue }
            if case .refuse = decisions[index] { plans[operation.recordName] = nil }
        }
        for (index, operation) in modification.operations.enumerated() {
            guard let share = roots[operation.recordName] else { continue }
            guard plans[share.recordName] != nil else { continue }
            guard case .save(let draft, let replaced) = decisions[index] else {
                refused.insert(share.recordName)
                continue
            }
            decisions[index] = .save(draft.sharing(share), replacing: replaced)
        }
        for (index, operation) in modification.operations.enumerated() where refused.contains(operation.recordName) {
            plans[operation.recordName] = nil
            decisions[index] = .refuse(
                CloudError(.atomicError, "Atomic failure: the record to share could not be saved"))
        }
        roots = roots.filter { plans[$0.value.recordName] != nil }
        for case .save(let whole, _) in plans.values where whole.share.number.rawValue > header.sharing.latest {
            if whole.share.rootName == nil {
                numbers.whole = whole.share.number
            } else {
                numbers.hierarchies += 1
            }
        }
    }

    /// Does what goes with an operation that is written.
    func carryOut(_ operation: PreparedOperation, _ header: inout ZoneHeader) throws {
        guard let plan = plans[operation.recordName] else { return }
        if case .save(let whole, _) = plan, whole.share.number.rawValue > planning.header.sharing.latest {
            header.sharing.latest = max(header.sharing.latest, whole.share.number.rawValue)
            if whole.share.rootName == nil {
                header.sharing.whole = whole.share.number
            } else {
                header.sharing.hierarchies += 1
            }
            ledger.add(whole.share)
        }
        try plan.carryOut(&header, ledger)
    }

    /// An error with the record that it tells of as the caller sees it.
    func shown(_ error: CloudError) -> CloudError {
        guard let record = error.serverRecord?.value else { return error }
        var error = error
        do {
            error.serverRecord = Boxed(
                try RecordShowing(
                    zoneID: planning.zoneID, view: view, viewer: planning.caller.authorRecordName,
                    transaction: transaction
                ).shown(record))
        } catch {
            return CloudError(.internalError, "internal error")
        }
        return error
    }

    /// A record as the caller sees it after the batch.
    func shown(_ record: Record, in header: ZoneHeader) throws -> Record {
        guard record.recordType != SystemRecordType.share else {
            guard case .save(let whole, _)? = plans[record.recordName] else { return record }
            return whole.shown(
                record, owner: planning.zoneID.ownerRecordName ?? planning.caller.authorRecordName,
                seenBy: planning.caller.authorRecordName)
        }
        return try RecordShowing(
            zoneID: planning.zoneID, view: view, viewer: planning.caller.authorRecordName, transaction: transaction
        ).shown(record)
    }

    /// Brings roots and memberships in line with what was written.
    /// - Returns: what those who share are to be told, to be queued with the same transaction.
    func finish(
        _ header: inout ZoneHeader, _ writer: RecordWriter, _ zoneID: ZoneID, in transaction: any WriteTransaction
    ) throws -> SharedNews? {
        for number in ledger.orphaned.sorted() {
            guard let whole = try WholeShare.read(number, zone: header.number, in: transaction), whole.share.isLive
            else {
                continue
            }
            if let record = try transaction.record(named: whole.share.recordName, in: header.number) {
                try writer.delete(record, at: planning.now, from: &header, in: transaction)
            }
            try ledger.stop(whole, &header)
        }
        for (root, share) in roots.sorted(by: { $0.key < $1.key }) where ledger.saved[root] == nil {
            try writer.update(root, by: planning.caller, at: planning.now, in: &header, transaction) { $0.share(share) }
        }
        for case .stop(let whole) in plans.values {
            guard let root = whole.share.rootName, ledger.saved[root] == nil else { continue }
            try writer.update(root, by: planning.caller, at: planning.now, in: &header, transaction) { $0.share = nil }
        }
        try ledger.settleHierarchies(&header)
        var news = SharedNews(
            id: planning.makeID(), zoneID: zoneID, zone: header.number, originClientID: planning.caller.clientID,
            trace: planning.caller.trace)
        try ledger.finish(header, into: &news)
        return news.touched.isEmpty && news.dismissed.isEmpty ? nil : news
    }
}
