import Foundation

extension CKRecord {
    /// The encrypted values, which have keys of their own. A key that is set here is another field than the one that is
    /// set on the record, for good.
    public var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(record: self) }
}

/// A record's encrypted values.
final class EncryptedValues: NSObject, CKRecordKeyValueSetting, Sendable {
    private let record: CKRecord

    init(record: CKRecord) { self.record = record }

    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        record.field(key, isEncrypted: true)?.value
    }

    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey) {
        let value = object.map { RecordValue.required($0, forKey: key) }
        ProgramFault.check(
            !(value?.isUnencryptable ?? false), "References and assets cannot be encrypted values, key '\(key)'.")
        record.setField(value, key, isEncrypted: true)
    }

    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] { record.state.withLock { $0.encrypted.values.keys.sorted() } }

    func changedKeys() -> [CKRecord.FieldKey] { record.state.withLock { $0.encrypted.changes.keys.sorted() } }
}

extension RecordValue {
    /// Whether this is, or holds, what cannot be encrypted.
    var isUnencryptable: Bool {
        let objects = (object as? NSArray).map { $0.map { $0 } } ?? [object]
        return objects.contains { $0 is CKRecordReference || $0 is CKAsset }
    }
}
