import Foundation
import StratusCloudKit
import StratusCoreData

// The fields of records.
extension MirroredModel {
    /// Gives a record the values of an object. Keys whose values do not differ are left alone.
    /// - Parameters:
    ///   - unchanged: The names of fields that have the values that the record was last saved with, so that large ones
    ///     among them are not sent again.
    ///   - staging: The folder for values that are sent as assets.
    func fill(
        _ record: CKRecord, with row: MirroredRow, unchanged: Set<String> = [], staging: AssetStaging
    ) throws {
        guard let entity = entities[row.entity] else { return }
        let large = RecordOverflow.fields(of: row, entity)
        for field in entity.fields {
            let value = row.values[field.name]
            guard let assetKey = field.assetKey else {
                set(value, field, in: record)
                continue
            }
            if let value, large.contains(field.name) {
                set(value.empty, field, in: record)
                if !unchanged.contains(field.name) || record[assetKey] == nil {
                    record[assetKey] = CKAsset(fileURL: try staging.file(with: value.data))
                }
            } else {
                set(value, field, in: record)
                if record[assetKey] != nil { record[assetKey] = nil as CKAsset? }
            }
        }
        for reference in entity.references {
            let target = row.references[reference.name]
            if record[reference.key] as? String != target { record[reference.key] = target }
        }
    }

    private func set(_ value: MirroredValue?, _ field: MirroredField, in record: CKRecord) {
        let former = record.mirrored(field.key, isEncrypted: field.isEncrypted, field.type)
        guard former != value else { return }
        if field.isEncrypted {
            record.encryptedValues[field.key] = value?.recordValue
        } else {
            record[field.key] = value?.recordValue
        }
    }

    /// Returns the values of a record; nil for a record of another entity or type than those of the store.
    /// - Throws: `MirroredRecordError` for a field of another type than its attribute's, and for an asset without a file.
    func row(of record: CKRecord) throws -> MirroredRow? {
        guard let name = record[Self.entityKey] as? String, let entity = entities[name],
            entity.recordType == record.recordType
        else { return nil }
        var row = MirroredRow(entity: name)
        for field in entity.fields { row.values[field.name] = try value(of: field, in: record) }
        for reference in entity.references {
            // Apple's systems write an empty text for a reference that was removed.
            guard let target = record[reference.key] as? String, !target.isEmpty else { continue }
            row.references[reference.name] = target
        }
        return row
    }

    private func value(of field: MirroredField, in record: CKRecord) throws -> MirroredValue? {
        let plain = record.mirrored(field.key, isEncrypted: field.isEncrypted, field.type)
        guard let assetKey = field.assetKey, plain.map({ $0.size == 0 }) ?? true,
            let asset = record[assetKey] as? CKAsset
        else {
            let hasValue = field.isEncrypted ? record.encryptedValues[field.key] != nil : record[field.key] != nil
            guard plain != nil || !hasValue else {
                throw MirroredRecordError(text: "field '\(field.key)' has another type than attribute '\(field.name)'")
            }
            return plain
        }
        guard let url = asset.fileURL, let data = FileManager.default.contents(atPath: url.path) else {
            throw MirroredRecordError(text: "the bytes of asset '\(assetKey)' are not on this machine")
        }
        guard field.type == .stringAttributeType else { return .bytes(data) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw MirroredRecordError(text: "asset '\(assetKey)' is not text in UTF-8")
        }
        return .string(text)
    }
}

extension MirroredValue {
    fileprivate var recordValue: any CKRecordValueProtocol {
        switch self {
        case .string(let text): text
        case .int(let number): number
        case .double(let number): number
        case .date(let date): date
        case .bytes(let data): data
        }
    }

    /// The bytes of an asset.
    fileprivate var data: Data {
        switch self {
        case .string(let text): Data(text.utf8)
        case .bytes(let data): data
        case .int, .double, .date: Data()
        }
    }

    /// The value of a field whose asset has the bytes.
    fileprivate var empty: MirroredValue {
        if case .string = self { .string("") } else { .bytes(Data()) }
    }
}

extension CKRecord {
    /// Returns the value of a key for an attribute of a type; nil for none, or one of another type.
    fileprivate func mirrored(_ key: String, isEncrypted: Bool, _ type: NSAttributeType) -> MirroredValue? {
        let value: Any? = isEncrypted ? encryptedValues[key] : self[key]
        switch (type, value) {
        case (_, nil): return nil
        case (.stringAttributeType, let text as String), (.UUIDAttributeType, let text as String),
            (.URIAttributeType, let text as String):
            return .string(text)
        case (.binaryDataAttributeType, let data as Data), (.transformableAttributeType, let data as Data):
            return .bytes(data)
        case (.dateAttributeType, let date as Date): return .milliseconds(date)
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber),
            (.decimalAttributeType, let number as NSNumber):
            return .double(number.doubleValue)
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber), (.booleanAttributeType, let number as NSNumber):
            // Of a number with a fraction nothing is cut off.
            return Int64(exactly: number.doubleValue) == nil && number.int64Value != Int64.max
                ? nil : .int(number.int64Value)
        default: return nil
        }
    }
}
