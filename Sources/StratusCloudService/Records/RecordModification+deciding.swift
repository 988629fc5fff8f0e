import StratusCloudModel
import StratusCloudStore

/// What operations come to, before any of them is written.
extension RecordModification {
    func decide(
        _ index: Int, _ slot: RecordSlot?, _ intake: AssetIntake?, _ ledger: UsageLedger, _ shares: BatchShares?
    ) -> Decision {
        let operation = operations[index]
        do {
            if let refusal = operation.refusal ?? refused[operation.recordName] { throw refusal }
            // What participants do not see is not there for them.
            var slot = slot
            if let shares { slot = try shares.seen(slot, of: operation) }
            let stored = slot?.live
            if let shares, operation.isShare || stored?.recordType == SystemRecordType.share {
                return try decideShare(index, slot, ledger, shares)
            }
            try checkPermission(operation, stored)
            try shares?.checkPermission(operation, stored)
            if operation.kind.isDeletion {
                let decision = try decideDeletion(operation, stored, slot)
                if let stored { ledger.release(stored) }
                return decision
            }
            try checkPresence(operation, stored, slot)
            let draft = try draft(shares?.meant(operation, over: stored) ?? operation, index, over: stored, intake)
            try ledger.reserve(draft.usage, for: operation.recordName, replacing: stored)
            return .save(draft, replacing: stored)
        } catch let error as CloudError {
            return .refuse(shares?.shown(error) ?? error)
        } catch {
            return .refuse(CloudError(.internalError, "internal error"))
        }
    }

    private func draft(
        _ operation: PreparedOperation, _ index: Int, over stored: StoredRecord?, _ intake: AssetIntake?
    ) throws(CloudError) -> RecordDraft {
        if stored == nil, !drafts.isEmpty, let draft = drafts[index] { return try draft.get() }
        return try drafting.draft(operation, over: stored, intake)
    }

    /// What references make of the decisions.
    func references(
        of decisions: [Decision], in view: ZoneView, _ transaction: any ReadTransaction
    ) throws -> BatchReferences {
        let matter = decisions.contains { decision in
            switch decision {
            case .save(let draft, let replaced): draft.hasReferences || replaced?.hasReferences ?? false
            case .delete: true
            case .leave, .nothingToDelete, .refuse: false
            }
        }
        guard matter else { return BatchReferences(nothingIn: view.number) }
        var changes: [Int: (name: String, before: StoredRecord?, after: StoredRecord?)] = [:]
        for (index, decision) in decisions.enumerated() {
            let name = operations[index].recordName
            switch decision {
            case .save(let draft, let replaced): changes[index] = (name, replaced, draft.record)
            case .delete(let stored): changes[index] = (name, stored, nil)
            case .leave, .nothingToDelete, .refuse: break
            }
        }
        return try BatchReferences(
            changes, work: cascadeWork,
            looking: ReferenceTargets(
                view: view, scope: scope, caller: caller, schema: schema,
                deleteSelfSources: ReservedZones.kind(of: zoneID.zoneName)?.deleteSelfSources
                    ?? ReferenceLimits.deleteSelfSources), in: transaction)
    }

    /// What the schema must have for all that is saved.
    func additions(for decisions: [Decision]) -> SchemaExtension {
        var all = SchemaExtension()
        for case .save(let draft, _) in decisions { all.formUnion(draft.addition) }
        return all
    }
}
