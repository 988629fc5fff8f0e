import Foundation

extension CKRecord {
    /// The first byte of a snapshot. Archives begin with another one.
    package static let snapshotVersion: UInt8 = 1

    /// The record as the server has it in a form for ``init(snapshot:)``, which is a small part of the work of an archive;
    /// nil for one that has changes, and for one with values other than texts, numbers, dates and data.
    package var snapshot: Data? {
        let state = state.withLock { $0 }
        guard !state.isChanged, state.parent == nil, state.share == nil, state.sharing == nil,
            let values = SnapshotValue.fields(state.plain), let encrypted = SnapshotValue.fields(state.encrypted)
        else { return nil }
        var writer = CompactWriter()
        writer.byte(Self.snapshotVersion)
        writer.text(recordType)
        writer.recordID(recordID)
        writer.text(state.server.changeTag)
        writer.date(state.server.creationDate)
        writer.optionalRecordID(state.server.creator)
        writer.date(state.server.modificationDate)
        writer.optionalRecordID(state.server.modifier)
        writer.text(state.server.device)
        for fields in [values, encrypted] {
            writer.list(fields) { writer, field in
                writer.text(field.key)
                field.value.write(to: &writer)
            }
        }
        return writer.data
    }

    /// Reads a record from a snapshot.
    /// - Throws: ``CompactReader/Failure`` for bytes that are not a snapshot, or that hold names which no record can have.
    package convenience init(snapshot data: Data) throws {
        var reader = CompactReader(data)
        guard try reader.byte() == Self.snapshotVersion else { throw CompactReader.Failure("it is not a record") }
        let type = try reader.requiredText()
        let recordID = try reader.recordID()
        var state = RecordState()
        state.server = RecordState.Server(
            changeTag: try reader.text(), creationDate: try reader.date(), creator: try reader.optionalRecordID(),
            modificationDate: try reader.date(), modifier: try reader.optionalRecordID(), device: try reader.text())
        state.plain = RecordFields(fetched: try reader.fields())
        state.encrypted = RecordFields(fetched: try reader.fields())
        guard reader.isAtEnd else { throw CompactReader.Failure("there is something behind its end") }
        guard FieldName.isIdentifier(type) else { throw CompactReader.Failure("a record cannot have its type") }
        self.init(type, recordID, state)
    }
}

/// A value of a field in a snapshot.
private enum SnapshotValue {
    case text(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case date(Double)
    case data(Data)

    /// Returns the values of fields; nil if one of them has no form here.
    static func fields(_ fields: RecordFields) -> [(key: String, value: SnapshotValue)]? {
        var values: [(key: String, value: SnapshotValue)] = []
        values.reserveCapacity(fields.values.count)
        for (key, value) in fields.values {
            guard let value = SnapshotValue(value.object) else { return nil }
            values.append((key, value))
        }
        return values
    }

    private init?(_ object: NSObject) {
        switch object {
        case let text as NSString: self = .text(text as String)
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let data as NSData: self = .data(data as Data)
        case let number as NSNumber:
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .number(number.doubleValue)
            case UInt8(ascii: "B"): self = .boolean(number.boolValue)
            case UInt8(ascii: "Q") where number.uint64Value > Int64.max: return nil
            default: self = .integer(number.int64Value)
            }
        default: return nil
        }
    }

    func write(to writer: inout CompactWriter) {
        switch self {
        case .text(let text):
            writer.byte(0)
            writer.text(text)
        case .integer(let number):
            writer.byte(1)
            writer.fixed(UInt64(bitPattern: number))
        case .number(let number):
            writer.byte(2)
            writer.fixed(number.bitPattern)
        case .boolean(let value): writer.byte(value ? 4 : 3)
        case .date(let date):
            writer.byte(5)
            writer.fixed(date.bitPattern)
        case .data(let data):
            writer.byte(6)
            writer.blob(data)
        }
    }

    init(_ reader: inout CompactReader) throws {
        switch try reader.byte() {
        case 0: self = .text(try reader.requiredText())
        case 1: self = .integer(Int64(bitPattern: try reader.fixed()))
        case 2: self = .number(Double(bitPattern: try reader.fixed()))
        case 3: self = .boolean(false)
        case 4: self = .boolean(true)
        case 5: self = .date(Double(bitPattern: try reader.fixed()))
        case 6: self = .data(try reader.blob())
        default: throw CompactReader.Failure("a value has an unknown type")
        }
    }

    var recordValue: RecordValue? {
        switch self {
        case .text(let text): RecordValue(text)
        case .integer(let number): RecordValue(number)
        case .number(let number): RecordValue(number)
        case .boolean(let value): RecordValue(value)
        case .date(let date): RecordValue(Date(timeIntervalSinceReferenceDate: date))
        case .data(let data): RecordValue(data)
        }
    }
}

extension CompactWriter {
    fileprivate mutating func recordID(_ recordID: CKRecord.ID) {
        text(recordID.recordName)
        zone(recordID.zoneID)
    }

    fileprivate mutating func optionalRecordID(_ recordID: CKRecord.ID?) {
        flag(recordID != nil)
        if let recordID { self.recordID(recordID) }
    }

    fileprivate mutating func date(_ date: Date?) {
        flag(date != nil)
        if let date { fixed(date.timeIntervalSinceReferenceDate.bitPattern) }
    }
}

extension CompactReader {
    fileprivate mutating func recordID() throws -> CKRecord.ID {
        CKRecord.ID(recordName: try requiredText(), zoneID: try zone())
    }

    fileprivate mutating func optionalRecordID() throws -> CKRecord.ID? { try flag() ? try recordID() : nil }

    fileprivate mutating func date() throws -> Date? {
        try flag() ? Date(timeIntervalSinceReferenceDate: Double(bitPattern: try fixed())) : nil
    }

    fileprivate mutating func fields() throws -> [String: RecordValue] {
        var fields: [String: RecordValue] = [:]
        for _ in 0..<(try count()) {
            let key = try requiredText()
            let value = try SnapshotValue(&self)
            guard FieldName.isKey(key) else { throw Failure("a record cannot have a field with this name") }
            fields[key] = value.recordValue
        }
        return fields
    }
}
