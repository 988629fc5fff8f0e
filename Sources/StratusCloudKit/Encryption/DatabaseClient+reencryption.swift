import CloudModel
import Foundation

extension DatabaseClient {
    /// The names of the zones that have keys, the default zone among them.
    func encryptedZones(_ records: KeyRecords) async throws -> [String] {
        let zones = try await send(.listZones) { answer throws(CloudTransportError) in try answer.zones() }
        let names = zones.compactMap { if case .zone(let zone) = $0 { zone.zoneID.zoneName } else { nil } }
        let stored = try await records.read(names.map(KeyRecords.Name.zone))
        return names.filter { stored[KeyRecords.Name.zone($0)] != nil }
    }

    /// Encrypts with a zone's current key what an earlier one encrypted.
    func reencrypt(_ zoneID: CKRecordZone.ID, _ keyRecords: KeyRecords) async throws -> Int {
        guard !zoneID.isDefault else {
            throw NSError.cloudKit(
                .invalidArguments, "The default zone has no feed to find its records by; save them again instead.")
        }
        let names = try await writersNames()
        let keys = try await connection.keyring.keysForWriting(in: zoneID.zoneName, keyRecords)
        let sealer = RecordSealer(place: keyRecords.place, key: keys.current, random: connection.keyring.random)
        var request = ZoneChangesRequest(zoneID: names.zoneID(zoneID))
        var count = 0
        while true {
            let pages = try await send(.zoneChanges([request])) { answer throws(CloudTransportError) in
                try answer.zoneChanges()
            }
            switch pages.first {
            case nil: throw NSError.cloudKit(.internalError, "There is no answer.")
            case .failed(_, let error)?: throw NSError.cloudKit(error)
            case .page(_, let page)?:
                let saved = page.changes.compactMap { if case .saved(let record) = $0 { record } else { nil } }
                let old = saved.filter { $0.neededKeys.contains { $0 != keys.current.id } }
                count += try await reencrypt(old, sealer, names)
                guard page.moreComing else { return count }
                request.syncToken = page.syncToken
            }
        }
    }

    private func reencrypt(_ records: [Record], _ sealer: RecordSealer, _ names: IdentityNames) async throws -> Int {
        let opener = await opener(for: records, names)
        try opener.checkKeys()
        var count = 0
        for start in stride(from: 0, to: records.count, by: CloudLimits.recordsPerReencryption) {
            let part = records[start..<min(start + CloudLimits.recordsPerReencryption, records.count)]
            // What does not open cannot be encrypted anew, and is no reason to leave out the others.
            let operations = part.compactMap { try? reencryption(of: $0, opener, sealer) }
            guard !operations.isEmpty else { continue }
            let request = ModifyRecordsRequest(operations: operations, zoneID: part.first?.zoneID, atomic: false)
            let results = try await send(.modifyRecords(request)) { answer throws(CloudTransportError) in
                try answer.records()
            }
            for result in results {
                switch result {
                case .saved: count += 1
                case .deleted: break
                // Who changed or deleted the record meanwhile used the current key, or none.
                case .failed(_, let error) where error.code == .conflict || error.code == .notFound: break
                case .failed(_, let error): throw NSError.cloudKit(error)
                }
            }
        }
        return count
    }

    private func reencryption(
        of record: Record, _ opener: RecordOpener, _ sealer: RecordSealer
    ) throws -> RecordOperation {
        var input = RecordInput(
            recordName: record.recordName, recordType: record.recordType, recordChangeTag: record.recordChangeTag)
        for entry in record.fields where entry.field.isEncrypted {
            let plain = try opener.plain(entry.field, named: entry.name, of: record)
            let sealed = sealer.field(
                PlainValue(plain.value), named: entry.name, recordType: record.recordType,
                recordName: record.recordName, zoneName: record.zoneID.zoneName)
            input.fields.append((entry.name, FieldInput(sealed)))
        }
        return RecordOperation(.update, input, desiredKeys: [])
    }

    /// Gives up all keys, and the zones with what they encrypted.
    func resetEncryptedData(_ records: KeyRecords) async throws -> [CKRecordZone.ID] {
        let names = try await writersNames()
        try await connection.keyring.replaceEverything(records)
        let zoneNames = try await encryptedZones(records)
        let custom = zoneNames.filter { $0 != CKRecordZoneDefaultName }
        for start in stride(from: 0, to: custom.count, by: CloudLimits.zonesPerDeletion) {
            let operations = custom[start..<min(start + CloudLimits.zonesPerDeletion, custom.count)].map {
                ZoneOperation(.delete, ZoneID(zoneName: $0), reason: .encryptedDataReset)
            }
            let results = try await send(.modifyZones(operations)) { answer throws(CloudTransportError) in
                try answer.zones()
            }
            for case .failed(_, let error) in results where error.code != .zoneNotFound {
                throw NSError.cloudKit(error)
            }
        }
        try await records.remove(zoneNames.map(KeyRecords.Name.zone) + [KeyRecords.Name.approvals])
        return custom.map { names.zoneID(ZoneID(zoneName: $0)) }
    }
}
