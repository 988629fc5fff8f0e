import Foundation
import StratusCloudModel

/// Opens the encrypted values of records that came.
struct RecordOpener: Sendable {
    struct Zone: Sendable {
        /// Whose it is; nil where that is not known.
        var place: AccountPlace?
        /// Whether it is somebody else's.
        var isForeign = false
        /// nil where the zone has none; or why they cannot be had.
        var keys: Result<[KeyID: ZoneKey]?, any Error>
    }

    /// The zones in which there are encrypted values.
    var zones: [ZoneID: Zone] = [:]
    /// What the links of shares of the current user need.
    var shareSecrets: [CKRecord.ID: ShareSecrets] = [:]

    /// Opens nothing.
    static let none = RecordOpener()

    /// A field as its owner set it.
    /// - Throws: if it is encrypted and cannot be opened.
    func plain(_ field: Field, named name: String, of record: Record) throws -> Field {
        guard field.isEncrypted else { return field }
        guard let zone = zones[record.zoneID] else { throw NSError.keysAreElsewhere }
        let keys = try zone.keys.get()
        guard let place = zone.place else { throw NSError.keysAreElsewhere }
        do throws(SealedValue.Failure) {
            guard case .scalar(.bytes(let bytes)) = field.value else { throw .unknownFormat }
            let valuePlace = ValuePlace(
                account: place, zoneName: record.zoneID.zoneName, recordType: record.recordType,
                recordName: record.recordName, field: name)
            let sealed = try SealedValue(bytes)
            guard let key = keys?[sealed.keyID] else { throw .unknownKey(sealed.keyID) }
            let value = try sealed.open(at: valuePlace, with: ZoneKeys(latest: key))
            return Field(value.fieldValue, isEncrypted: true)
        } catch .unknownKey where zone.isForeign {
            throw Self.foreignRefusal(name)
        } catch {
            throw Self.refusal(error, name)
        }
    }

    /// Says why nothing of some records can be opened: the keys are on other devices, or cannot be asked for. Other reasons
    /// concern single records.
    func checkKeys() throws {
        for zone in zones.values { _ = try zone.keys.get() }
    }

    private static func foreignRefusal(_ field: String) -> NSError {
        .cloudKit(
            .permissionFailure,
            "The encrypted value of the field '\(field)' has a key that is not the share's. A device of the owner saves it anew."
        )
    }

    private static func refusal(_ failure: SealedValue.Failure, _ field: String) -> NSError {
        switch failure {
        case .unknownFormat:
            .cloudKit(
                .incompatibleVersion,
                "The encrypted value of the field '\(field)' was not written by a device, or by a newer version.")
        case .unknownKey(let id):
            .cloudKit(
                .zoneNotFound,
                "The encrypted value of the field '\(field)' needs the key \(id), which was given up.",
                [CKErrorUserDidResetEncryptedDataKey: NSNumber(value: true)])
        case .notAuthentic:
            .cloudKit(
                .internalError,
                "The encrypted value of the field '\(field)' was changed, or belongs to another field or record.")
        }
    }
}

extension Record {
    var hasEncryptedValues: Bool { fields.contains { $0.field.isEncrypted } }

    /// The keys that its encrypted values need, as far as they are such.
    var neededKeys: [KeyID] {
        fields.compactMap { entry in
            guard entry.field.isEncrypted, case .scalar(.bytes(let bytes)) = entry.field.value else { return nil }
            // What is no such value is refused when it is opened.
            return try? SealedValue(bytes).keyID
        }
    }
}
