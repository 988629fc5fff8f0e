import Foundation
import StratusCloudModel

extension DatabaseClient {
    /// The records that hold the user's keys.
    func keyRecords(of names: IdentityNames) throws -> KeyRecords {
        guard let user = names.currentUser else { throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.") }
        let client = DatabaseClient(connection: connection, scope: .private, options: options)
        return KeyRecords(
            client: client, place: AccountPlace(container: connection.containerIdentifier, user: user))
    }

    /// Refuses encrypted values where there are none, before any network.
    func checkEncryptedValues(_ records: [CKRecord]) throws {
        guard scope == .public else { return }
        for record in records {
            let values = record.encryptedValues
            guard let key = values.allKeys().first ?? values.changedKeys().first else { continue }
            throw NSError.cloudKit(
                .invalidArguments,
                "Encrypted values are not supported in the public database: field '\(key)' of the record "
                    + "'\(record.recordID.recordName)'.")
        }
    }

    /// What opens the encrypted values of some records.
    func opener(for found: [Record], _ names: IdentityNames) async -> RecordOpener {
        let encrypted = found.filter(\.hasEncryptedValues)
        var opener = RecordOpener()
        if scope == .private {
            let shares = found.filter { $0.recordType == SystemRecordType.share }
            if !shares.isEmpty { opener.shareSecrets = await shareSecrets(of: shares, names) }
        }
        guard scope != .public, !encrypted.isEmpty else { return opener }
        connection.noteEncryptedFields(of: encrypted)
        for (zone, found) in Dictionary(grouping: encrypted, by: \.zoneID) {
            do {
                opener.zones[zone] = RecordOpener.Zone(
                    place: try accountPlace(of: names.zoneID(zone), names), isForeign: scope == .shared,
                    keys: .success(try await keysForReading(found, in: names.zoneID(zone), names)))
            } catch let error as DeviceKeyStoreError {
                opener.zones[zone] = RecordOpener.Zone(keys: .failure(NSError.cloudKit(error)))
            } catch {
                opener.zones[zone] = RecordOpener.Zone(keys: .failure(error))
            }
        }
        return opener
    }

    /// The keys of some records of one zone; nil if there are none, or none is needed.
    private func keysForReading(
        _ found: [Record], in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> [KeyID: ZoneKey]? {
        let ids = Set(found.flatMap(\.neededKeys))
        // Values that no device encrypted are refused without a key.
        guard !ids.isEmpty else { return nil }
        guard scope == .private else {
            let zone = Keyring.Zone(place: try accountPlace(of: zoneID, names), name: zoneID.zoneName)
            return try await foreignKeys(for: found, ids, in: zoneID, zone, names)
        }
        let keys = try await connection.keyring.keysForReading(in: zoneID.zoneName, ids, try keyRecords(of: names))
        return keys.map { Dictionary($0.every.map { ($0.id, $0) }) { first, _ in first } }
    }

    /// The keys of what others share.
    /// - Throws: `accountTemporarilyUnavailable` if the user never came to them: pages without them would not come again.
    private func foreignKeys(
        for found: [Record], _ ids: Set<KeyID>, in zoneID: CKRecordZone.ID, _ zone: Keyring.Zone,
        _ names: IdentityNames
    ) async throws -> [KeyID: ZoneKey] {
        let known = await connection.keyring.foreignKeys(of: zone)
        guard !ids.allSatisfy({ known[$0] != nil }) else { return known }
        let open = found.filter { record in record.neededKeys.contains { known[$0] == nil } }
        let answer: SharesAnswer
        do {
            answer = try await shares(of: open.map(\.recordName), in: zoneID, names)
        } catch let error as NSError where error.cloudKitCode == .zoneNotFound {
            // The root of a share into which the user has not come.
            throw NSError.cloudKit(
                .permissionFailure, "Encrypted values can be read when the share has been accepted.")
        }
        var outdated: String?
        for share in answer.shares {
            guard let joined = try await joinedKeys(share, in: zoneID, names) else {
                throw NSError.shareKeysAreMissing(share.shareName)
            }
            if !joined.isLatest { outdated = share.shareName }
        }
        let keys = await connection.keyring.foreignKeys(of: zone)
        if let outdated, !ids.allSatisfy({ keys[$0] != nil }) { throw NSError.shareKeysAreMissing(outdated) }
        return keys
    }

    /// Refuses what an encrypted field cannot do, before any network, as far as it is known here which fields are
    /// encrypted; the server knows all of them.
    func checkQuery(_ query: Query) throws {
        let fields = query.filters.compactMap(\.field) + query.sorts.map(\.field)
        for case .named(let name) in fields where connection.isEncrypted(name, of: query.recordType) {
            throw NSError.cloudKit(
                .invalidArguments,
                "The field '\(name)' of '\(query.recordType)' is encrypted and can be neither searched nor sorted by.")
        }
    }

    /// Only the owner of a zone has its keys.
    func requireOwn(_ zoneID: CKRecordZone.ID) throws {
        guard zoneID.ownerName == CKCurrentUserDefaultName else {
            throw NSError.cloudKit(
                .invalidArguments, "The zone '\(zoneID.zoneName)' belongs to somebody else; only they have its keys.")
        }
    }
}

extension NSError {
    /// The device's store cannot be used; nothing is made new because of it.
    static func cloudKit(_ error: DeviceKeyStoreError) -> NSError {
        .cloudKit(.accountTemporarilyUnavailable, error.description)
    }
}
