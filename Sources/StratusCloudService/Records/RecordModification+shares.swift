import StratusCloudModel
import StratusCloudStore

/// What a batch has to do with shares.
extension RecordModification {
    /// Leaves operations out when the batch is run again.
    /// - Throws: what they are refused with, if they are none of the batch's.
    mutating func refuse(_ refusals: ShareRefusals) throws {
        let names = Set(operations.map(\.recordName)).subtracting(refused.keys)
        let own = refusals.byOperation.filter { names.contains($0.key) }
        guard !own.isEmpty else {
            throw refusals.byOperation.values.first ?? CloudError(.internalError, "internal error")
        }
        refused.merge(own) { _, new in new }
    }

    /// Whether whoever sees only what is shared with them sees anything of the zone.
    func isVisible(in transaction: any ReadTransaction) throws -> Bool {
        guard participant != nil else { return true }
        return try ZoneHeader.find(zoneID.zoneName, in: transaction).flatMap { try view(of: $0, in: transaction) }
            != nil
    }

    func view(of header: ZoneHeader, in transaction: any ReadTransaction) throws -> ZoneView? {
        guard let participant else { return ZoneView(header: header, access: nil) }
        return try SharedAccess.read(of: participant, zone: header, in: transaction)
            .map { ZoneView(header: header, access: $0) }
    }

    /// What the request has to do with shares; nil if nothing.
    func shares(of view: ZoneView, in transaction: any WriteTransaction) throws -> BatchShares? {
        guard view.header.sharing.isAnything || operations.contains(where: \.isShare) else { return nil }
        let owner = zoneID.ownerRecordName ?? caller.authorRecordName
        let ledger = ShareLedger(
            ShareLedger.Place(context: caller.context, owner: owner, zoneName: zoneID.zoneName), zone: view.number,
            now: now, in: transaction)
        try ledger.load(operations.map(\.recordName))
        let planning = SharePlanning(
            zoneID: zoneID, header: view.header, view: view, caller: caller, setting: shareSetting, now: now,
            makeID: makeID, ledger: ledger)
        return BatchShares(planning, operations, scope: scope)
    }

    /// A share is checked like every record but for its change tag, which nothing passes over.
    func decideShare(
        _ index: Int, _ slot: RecordSlot?, _ ledger: UsageLedger, _ shares: BatchShares
    ) throws -> Decision {
        let operation = operations[index]
        let stored = slot?.live
        if operation.kind.isDeletion {
            let decision = try decideDeletion(operation, stored, slot)
            guard case .delete(let record) = decision else { return decision }
            guard try shares.planEnd(of: record) else { return .leave(record) }
            ledger.release(record)
            return decision
        }
        try shares.checkSave(operation, stored)
        try checkPresence(operation, stored, slot)
        if let stored, !operation.kind.checksChangeTag { try checkTag(operation, stored) }
        try shares.planSave(of: operation, over: stored)
        let draft = try drafting.shareDraft(
            operation, over: stored, shortGUID: shares.shortGUID(of: operation.recordName))
        try ledger.reserve(draft.usage, for: operation.recordName, replacing: stored)
        return .save(draft, replacing: stored)
    }
}
