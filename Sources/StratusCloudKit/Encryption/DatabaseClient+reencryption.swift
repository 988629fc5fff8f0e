import Foundation
import StratusCloudModel

extension DatabaseClient {
    /// The names of the zones that have keys, the default zone among them.
    /// - Parameter use: whether their own or those of their shares.
    func encryptedZones(_ records: KeyRecords, for use: ZoneKeyUse = .zone) async throws -> [String] {
        let zones = try await send(.listZones) { answer throws(CloudTransportError) in try answer.zones() }
        let names = zones.compactMap { if case .zone(let zone) = $0 { zone.zoneID.zoneName } else { nil } }
        let stored = try await records.read(names.map { KeyRecords.Name.zone($0, for: use) })
        return names.filter { stored[KeyRecords.Name.zone($0, for: use)] != nil }
    }

    /// Encrypts with the keys that are current what others encrypted.
    /// - Parameter onlyShared: whether only what belongs to shares is meant.
    func reencrypt(_ zoneID: CKRecordZone.ID, _ keyRecords: KeyRecords, onlyShared: Bool = false) async throws -> Int {
        guard !zoneID.isDefault else {
            throw NSError.cloudKit(
                .invalidArguments, "The default zone has no feed to find its records by; save them again instead.")
        }
        let names = try await writersNames()
        if onlyShared {
            // What was never encrypted needs no other key.
            let name = KeyRecords.Name.zone(zoneID.zoneName)
            guard try await keyRecords.read([name])[name] != nil else { return 0 }
        }
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
                count += try await reencrypt(
                    saved.filter(\.hasEncryptedValues), in: zoneID, names, onlyShared: onlyShared)
                guard page.moreComing else { return count }
                request.syncToken = page.syncToken
            }
        }
    }

    private func reencrypt(
        _ records: [Record], in zoneID: CKRecordZone.ID, _ names: IdentityNames, onlyShared: Bool
    ) async throws -> Int {
        let opener = await opener(for: records, names)
        try opener.checkKeys()
        var count = 0
        for start in stride(from: 0, to: records.count, by: CloudLimits.recordsPerReencryption) {
            let part = records[start..<min(start + CloudLimits.recordsPerReencryption, records.count)]
            count += try await sendingSealed(in: zoneID, names) {
                let sealer = try await sealer(for: part.map(\.sealingSubject), in: zoneID, names)
                let unshared = Set(sealer.claims.filter { $0.shareName == nil }.flatMap(\.recordNames))
                let old = part.filter { record in
                    record.neededKeys.contains { $0 != sealer.keys[record.recordName]?.id }
                        && !(onlyShared && unshared.contains(record.recordName))
                }
                // What does not open cannot be encrypted anew, and is no reason to leave out the others.
                let operations = old.compactMap { try? reencryption(of: $0, opener, sealer) }
                guard !operations.isEmpty else { return 0 }
                let request = ModifyRecordsRequest(
                    operations: operations, zoneID: part.first?.zoneID, atomic: false, encryptedFor: sealer.claims)
                return try Self.countSaved(try await modify(request))
            }
        }
        return count
    }

    private static func countSaved(_ results: [RecordResult]) throws -> Int {
        var count = 0
        for result in results {
            switch result {
            case .saved: count += 1
            case .deleted: break
            // Who changed or deleted the record meanwhile used the current key, or none.
            case .failed(_, let error) where error.code == .conflict || error.code == .notFound: break
            case .failed(_, let error): throw NSError.cloudKit(error)
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
            guard let sealed else { throw NSError.keysAreElsewhere }
            input.fields.append((entry.name, FieldInput(sealed)))
        }
        return RecordOperation(.update, input, desiredKeys: [])
    }

    /// Brings the keys of all shares of a zone in line with the account's.
    func settleShares(of zoneID: CKRecordZone.ID) async throws {
        let names = try await writersNames()
        var request = ZoneChangesRequest(zoneID: names.zoneID(zoneID), desiredKeys: [])
        while true {
            let pages = try await send(.zoneChanges([request])) { answer throws(CloudTransportError) in
                try answer.zoneChanges()
            }
            guard case .page(_, let page)? = pages.first else { return }
            let shares = page.changes.compactMap { change -> String? in
                guard case .saved(let record) = change, record.recordType == SystemRecordType.share else { return nil }
                return record.recordName
            }
            if !shares.isEmpty {
                for known in try await self.shares(of: shares, in: zoneID, names).shares where known.envelope != nil {
                    _ = try await settle(known, in: zoneID, names)
                }
            }
            guard page.moreComing else { return }
            request.syncToken = page.syncToken
        }
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
        let lists = zoneNames.map { KeyRecords.Name.zone($0, for: .share) }
        try await records.remove(zoneNames.map { KeyRecords.Name.zone($0) } + lists + [KeyRecords.Name.approvals])
        return custom.map { names.zoneID(ZoneID(zoneName: $0)) }
    }
}
