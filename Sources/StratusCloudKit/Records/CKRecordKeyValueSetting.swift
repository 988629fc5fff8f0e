import Foundation

/// What keeps values under keys: a record, or the view of its encrypted values.
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
    /// The value of a key; nil if there is none.
    func object(forKey key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)?
    /// Sets the value of a key; nil removes it.
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: CKRecord.FieldKey)
    /// The value of a key; setting nil removes it.
    subscript(key: CKRecord.FieldKey) -> (any __CKRecordObjCValue)? { get set }
    /// The keys that have values.
    func allKeys() -> [CKRecord.FieldKey]
    /// The keys that were set since the record was made, fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a key as the type that is asked for; nil if there is none, or one of another type.
    ///
    /// On Apple's systems a value of another type stops the program.
    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { object(forKey: key).flatMap { RecordValue($0)?.cast(to: Value.self) } }
        set { setObject(newValue.map { RecordValue.required($0, forKey: key).value }, forKey: key) }
    }

    /// The value of a key; setting nil removes it.
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) }
        set { setObject(newValue.map { RecordValue.required($0, forKey: key).value }, forKey: key) }
    }
}

extension RecordValue {
    /// A value that must be of a type that fields can hold. Anything else is a fault of the program, as on Apple's
    /// systems, where it raises an exception.
    static func required(_ value: Any, forKey key: String) -> RecordValue {
        guard let stored = RecordValue(value) else {
            ProgramFault.stop("A value of type \(type(of: value)) cannot be stored in a record, key '\(key)'.")
        }
        return stored
    }
}
