import StratusCloudModel
import StratusCloudStore

/// What a batch is about to change in a reserved zone.
struct ReservedZoneBatch {
    /// A record before and after an operation; nil stands for none. Records that go with it because of a `DELETE_SELF`
    /// reference are not among the changes.
    struct Change {
        /// The operation's place in the request.
        var index: Int
        var recordName: String
        var before: StoredRecord?
        var after: StoredRecord?
        /// Whether the operator restores the record with its history.
        var isImported = false
    }

    let zoneID: ZoneID
    let number: ZoneNumber
    /// Operations that were refused already are left out.
    let changes: [Change]
    let now: Int64
    let transaction: any ReadTransaction

    /// The records of the zone before the batch, in the order of their latest changes.
    func records(limit: Int) throws -> [StoredRecord] {
        let range = KeyRange(prefix: Keyspace.prefix(.version, zone: number).key)
        // The version is in the key, and no rule needs it.
        return try transaction.entries(in: range, limit: limit).map { try StoredRecord(stored: $0.value, version: 0) }
    }

    /// A conflict with the stored record, which the answer shows.
    func conflict(_ stored: StoredRecord, _ reason: String) -> CloudError {
        CloudError(.conflict, reason, serverRecord: stored.record(in: zoneID))
    }
}

extension RecordModification {
    /// Applies the rules of the batch's zone to what was decided; nothing for zones that apps make.
    func applyReservedRules(
        to decisions: inout [Decision], in number: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        guard let kind = ReservedZones.kind(of: zoneID.zoneName) else { return }
        var changes: [ReservedZoneBatch.Change] = []
        for (index, decision) in decisions.enumerated() {
            let name = operations[index].recordName
            switch decision {
            // Shares have rules of their own.
            case .save(let draft, _) where draft.record.recordType == SystemRecordType.share: break
            case .delete(let stored) where stored.recordType == SystemRecordType.share: break
            case .save(let draft, let replaced):
                changes.append(
                    .init(
                        index: index, recordName: name, before: replaced, after: draft.record,
                        isImported: operations[index].input.history != nil))
            case .delete(let stored):
                changes.append(.init(index: index, recordName: name, before: stored, after: nil))
            case .leave, .nothingToDelete, .refuse: break
            }
        }
        let batch = ReservedZoneBatch(
            zoneID: zoneID, number: number, changes: changes, now: now, transaction: transaction)
        for (index, error) in try kind.refusals(of: batch) { decisions[index] = .refuse(error) }
    }

    /// The header of the batch's zone: the stored one, or a new one for a reserved zone's first records.
    func header(
        stored: [UInt8]?, in transaction: any WriteTransaction
    ) throws -> (header: ZoneHeader, isNew: Bool)? {
        if let header = try ZoneHeader.named(zoneID.zoneName, stored: stored) { return (header, false) }
        guard scope == .private, let kind = ReservedZones.kind(of: zoneID.zoneName) else { return nil }
        try kind.checkCount(in: transaction, adding: zoneID.zoneName)
        return (try CloudService.newHeader(of: zoneID.zoneName, in: transaction), true)
    }
}

extension CloudService {
    /// Makes the reserved zone of an address if its records may have assets: uploads come before the record that they
    /// are for, and are bound to the zone.
    func makeReservedZone(of address: DatabaseAddress) async throws(CloudError) {
        let name = address.zoneID.zoneName
        guard address.scope == .private, let kind = ReservedZones.kind(of: name), kind.hasAssets,
            try await reading(address.partition, { try ZoneHeader.find(name, in: $0) }) == nil
        else { return }
        let origin = changeOrigin
        try await writing(address.partition) { transaction in
            guard try ZoneHeader.find(name, in: transaction) == nil else { return }
            try kind.checkCount(in: transaction, adding: name)
            var header = try Self.newHeader(of: name, in: transaction)
            try ZoneChange.record(&header, named: name, by: origin, in: transaction)
        }
    }
}

extension ReservedZone {
    /// - Throws: `badRequest` if the database has as many zones of the kind as it may have.
    fileprivate static func checkCount(in transaction: any ReadTransaction, adding name: String) throws {
        let count = try CloudService.allZones(in: transaction).count { owns($0.name) }
        guard count < zonesPerDatabase else {
            throw CloudError(
                .badRequest,
                "the database has \(count) zones of this kind, which is the maximum; zone '\(name)' was not created")
        }
    }
}
