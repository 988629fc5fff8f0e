import Foundation
import StratusCloudModel
import StratusWorkers

/// A record: a type, a name, and values under keys.
///
/// Safe to use from several threads. What a save changes of it — the change tag, the dates, the users — is changed in the
/// object that was saved, too.
///
/// `@unchecked Sendable`: everything that changes is under a lock. A class that is not final cannot say so in a way that the
/// compiler checks.
public class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting, @unchecked Sendable {
    /// The kind of a record, such as `Note`.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String

    /// The kind of the record, which never changes.
    public let recordType: RecordType
    /// The record's name and zone, which never change.
    public let recordID: ID
    let state: Lock<RecordState>

    /// Makes a record; by default with a new name in the default zone.
    ///
    /// A type that is no identifier is a fault of the program.
    public convenience init(recordType: RecordType, recordID: ID = ID()) {
        ProgramFault.check(FieldName.isIdentifier(recordType), "'\(recordType)' is no name for a record type.")
        self.init(recordType, recordID, RecordState())
    }

    /// Makes a record with a new name in a zone.
    @available(*, deprecated, message: "Use init(recordType:recordID:)")
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    /// Makes a record whose fields replace those of a version that the server has.
    package convenience init(recordType: RecordType, recordID: ID, changeTag: String) {
        var state = RecordState()
        state.server.changeTag = changeTag
        self.init(recordType, recordID, state)
    }

    init(_ recordType: RecordType, _ recordID: ID, _ state: RecordState) {
        self.recordType = recordType
        self.recordID = recordID
        self.state = Lock(state)
    }

    // MARK: Values

    /// The value of a key; nil if there is none.
    public func object(forKey key: FieldKey) -> (any __CKRecordObjCValue)? {
        field(key, isEncrypted: false)?.value
    }

    /// Sets the value of a key; nil removes it.
    public func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: FieldKey) {
        setField(object.map { RecordValue.required($0, forKey: key) }, key, isEncrypted: false)
    }

    /// The value of a key; setting nil removes it.
    public subscript(key: FieldKey) -> (any __CKRecordObjCValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The keys that have values, in alphabetical order. Those of encrypted values are not among them.
    public func allKeys() -> [FieldKey] { state.withLock { $0.plain.values.keys.sorted() } }

    /// The keys that were set since the record was made, fetched or saved, in alphabetical order.
    public func changedKeys() -> [FieldKey] { state.withLock { $0.plain.changes.keys.sorted() } }

    func field(_ key: FieldKey, isEncrypted: Bool) -> RecordValue? {
        state.withLock { $0[isEncrypted: isEncrypted].values[key] }
    }

    func setField(_ value: RecordValue?, _ key: FieldKey, isEncrypted: Bool) {
        ProgramFault.check(FieldName.isKey(key), "'\(key)' is no name for a field.")
        state.withLock { state in
            let isKnown = state.isKnown
            state[isEncrypted: isEncrypted].set(value, forKey: key, isKnown: isKnown)
        }
    }

    // MARK: What the server says

    /// Stands for a version of the record; nil for one that the server does not know.
    public var recordChangeTag: String? { state.withLock { $0.server.changeTag } }
    /// Who made it; ``CKCurrentUserDefaultName`` for the current user.
    public var creatorUserRecordID: ID? { state.withLock { $0.server.creator } }
    /// When it was first saved.
    public var creationDate: Date? { state.withLock { $0.server.creationDate } }
    /// Who saved it last; ``CKCurrentUserDefaultName`` for the current user.
    public var lastModifiedUserRecordID: ID? { state.withLock { $0.server.modifier } }
    /// When it was saved last.
    public var modificationDate: Date? { state.withLock { $0.server.modificationDate } }
    /// The share whose root this record is.
    public var share: Reference? { state.withLock { $0.share } }

    /// Archives hold it.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a record, or the system fields of one, from an archive; nil if they are not whole.
    public required convenience init?(coder: NSCoder) {
        guard let parts = Self.parts(of: coder) else { return nil }
        self.init(parts.type, parts.recordID, parts.state)
    }

    /// What an archive holds of a record; nil if it is not whole.
    static func parts(of coder: NSCoder) -> (type: RecordType, recordID: ID, state: RecordState)? {
        guard let type = coder.decoded(NSString.self, "RecordType"),
            let recordID = coder.decoded(CKRecordID.self, "RecordID")
        else { return nil }
        let state = RecordState(coder: coder)
        return coder.hasFailed ? nil : (type as String, recordID, state)
    }

    /// Writes the whole record to an archive.
    public func encode(with coder: NSCoder) {
        encodeHeader(with: coder)
        state.withLock { $0 }.encodeValues(with: coder)
    }

    /// Writes what is needed to save the record later without its values: type, name, change tag, dates, users, parent
    /// and share. A record that is read from it has no values and no changed keys.
    ///
    /// An archiver writes the same bytes for the same fields each time, as programs compare them.
    public func encodeSystemFields(with coder: NSCoder) {
        // Foundation on Linux writes the keys of binary archives in an order that changes, and those of XML sorted.
        (coder as? NSKeyedArchiver)?.outputFormat = .xml
        encodeHeader(with: coder)
    }

    private func encodeHeader(with coder: NSCoder) {
        coder.encode(recordType as NSString, forKey: "RecordType")
        coder.encode(recordID, forKey: "RecordID")
        state.withLock { $0 }.encodeSystemFields(with: coder)
    }

    /// A record of its own with the same values, system fields and changed keys.
    public func copy(with zone: NSZone? = nil) -> Any { CKRecord(recordType, recordID, state.withLock { $0 }) }

    /// For logs; without values.
    public override var description: String {
        "<CKRecord: recordType=\(recordType), recordID=\(recordID), recordChangeTag=\(recordChangeTag ?? "nil")>"
    }
}
