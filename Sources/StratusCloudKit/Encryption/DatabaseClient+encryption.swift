import CloudModel
import Foundation

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
        guard scope != .private else { return }
        for record in records {
            let values = record.encryptedValues
            guard let key = values.allKeys().first ?? values.changedKeys().first else { continue }
            throw NSError.cloudKit(
                .invalidArguments,
                "Encrypted values are not supported in the \(scope.rawValue) database: field '\(key)' of the record "
                    + "'\(record.recordID.recordName)'.")
        }
    }

    /// What encrypts the values of some records; nil if they have none.
    /// - Throws: `accountTemporarilyUnavailable` if the keys are on other devices only.
    func sealer(for saves: [PendingSave], _ names: IdentityNames) async throws -> RecordSealer? {
        guard let zoneID = saves.first(where: \.hasEncryptedValues)?.recordID.zoneID else { return nil }
        let records = try keyRecords(of: names)
        do {
            let keys = try await connection.keyring.keysForWriting(in: zoneID.zoneName, records)
            return RecordSealer(place: records.place, key: keys.current, random: connection.keyring.random)
        } catch let error as DeviceKeyStoreError {
            throw NSError.cloudKit(error)
        }
    }

    /// What opens the encrypted values of some records.
    func opener(for found: [Record], _ names: IdentityNames) async -> RecordOpener {
        let encrypted = found.filter(\.hasEncryptedValues)
        guard scope != .shared else { return .foreign }
        guard scope == .private, !encrypted.isEmpty, let records = try? keyRecords(of: names) else { return .none }
        connection.noteEncryptedFields(of: encrypted)
        var opener = RecordOpener(place: records.place)
        for (zoneName, found) in Dictionary(grouping: encrypted, by: \.zoneID.zoneName) {
            let ids = Set(found.flatMap(\.neededKeys))
            // Values that no device encrypted are refused without a key.
            guard !ids.isEmpty else {
                opener.keys[zoneName] = .success(nil)
                continue
            }
            do {
                opener.keys[zoneName] = .success(
                    try await connection.keyring.keysForReading(in: zoneName, ids, records))
            } catch let error as DeviceKeyStoreError {
                opener.keys[zoneName] = .failure(NSError.cloudKit(error))
            } catch {
                opener.keys[zoneName] = .failure(error)
            }
        }
        return opener
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
