import StratusCloudModel
import StratusCloudStore

/// Writes what was decided.
extension RecordModification {
    func apply(
        _ decision: Decision, of operation: PreparedOperation, over slot: RecordSlot?, _ intake: AssetIntake?,
        to zone: inout ZoneHeader, _ writer: RecordWriter, _ shares: BatchShares?,
        in transaction: any WriteTransaction
    ) throws -> RecordResult {
        switch decision {
        case .refuse(let error):
            return .failed(recordName: operation.recordName, error)
        case .nothingToDelete:
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        case .delete(let stored):
            try writer.delete(stored, at: now, from: &zone, in: transaction)
            try shares?.carryOut(operation, &zone)
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        case .save(let draft, let replaced):
            zone.version += 1
            let record = draft.record(version: zone.version)
            try writer.save(draft, as: record, over: slot, replaced, in: zone.number, transaction)
            try intake?.useUp(operation, savedAs: record.fields)
            try shares?.carryOut(operation, &zone)
            let saved = answer(record).keepingFields(operation.desiredKeys)
            return .saved(try shares?.shown(saved, in: zone) ?? saved)
        case .leave(let stored):
            try shares?.carryOut(operation, &zone)
            let owner = Caller.owner(of: zoneID, in: caller.context)
            try writer.touch(stored, by: owner, at: now, in: &zone, transaction)
            return .deleted(recordName: operation.recordName, zoneID: zoneID)
        }
    }
}

extension Record {
    /// Only the fields a caller wants; nil wants all.
    consuming func keepingFields(_ desiredKeys: [String]?) -> Record {
        guard let desiredKeys else { return self }
        fields.unpack()
        var wanted = FieldMap()
        for key in desiredKeys { wanted[key] = fields[key] }
        fields = wanted
        return self
    }
}
