import CloudModel
import Foundation

/// Opens the encrypted values of records that came.
struct RecordOpener: Sendable {
    /// Whose the private database is; nil where values cannot be encrypted.
    var place: AccountPlace?
    /// The keys of the zones in which there are encrypted values, nil where a zone has none; or why they cannot be had.
    var keys: [String: Result<ZoneKeys?, any Error>] = [:]

    /// Whether the values are somebody else's, whose keys are on their devices only.
    var isForeign = false

    /// Opens nothing of what others share.
    static let foreign = RecordOpener(isForeign: true)
    /// Opens nothing.
    static let none = RecordOpener()

    /// A field as its owner set it.
    /// - Throws: if it is encrypted and cannot be opened.
    func plain(_ field: Field, named name: String, of record: Record) throws -> Field {
        guard field.isEncrypted else { return field }
        guard !isForeign else { throw Self.foreignRefusal(name) }
        guard let place, let keys = keys[record.zoneID.zoneName] else { throw NSError.keysAreElsewhere }
        let zoneKeys = try keys.get()
        do throws(SealedValue.Failure) {
            guard case .scalar(.bytes(let bytes)) = field.value else { throw .unknownFormat }
            let valuePlace = ValuePlace(
                account: place, zoneName: record.zoneID.zoneName, recordType: record.recordType,
                recordName: record.recordName, field: name)
            let sealed = try SealedValue(bytes)
            guard let zoneKeys else { throw .unknownKey(sealed.keyID) }
            let value = try sealed.open(at: valuePlace, with: zoneKeys)
            return Field(value.fieldValue, isEncrypted: true)
        } catch {
            throw Self.refusal(error, name)
        }
    }

    /// Says why nothing of some records can be opened: the keys are on other devices, or cannot be asked for. Other reasons
    /// concern single records.
    func checkKeys() throws {
        for keys in keys.values { _ = try keys.get() }
    }

    private static func foreignRefusal(_ field: String) -> NSError {
        .cloudKit(
            .permissionFailure,
            "The encrypted value of the field '\(field)' can be read on the devices of its owner only.")
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
