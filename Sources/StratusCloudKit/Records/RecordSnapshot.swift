import Foundation

/// A record as the server has it, in a form that is small, and a tenth of the work of an archive of `NSKeyedArchiver`.
private struct RecordSnapshot: Codable {
    struct Name: Codable {
        var record: String
        var zone: String
        var owner: String
    }

    enum Value: Codable {
        case text(String)
        case integer(Int64)
        case number(Double)
        case boolean(Bool)
        case date(Double)
        case data(Data)
    }

    var type: String
    var name: Name
    var changeTag: String?
    var creationDate: Double?
    var creator: Name?
    var modificationDate: Double?
    var modifier: Name?
    var device: String?
    var values: [String: Value]
    var encryptedValues: [String: Value]
}

extension CKRecord {
    /// The record in a form for ``init(snapshot:)``; nil for one that has changes, and for one with values other than
    /// texts, numbers, dates and data, which needs an archive.
    package var snapshot: Data? {
        let state = state.withLock { $0 }
        guard !state.isChanged, state.parent == nil, state.share == nil, state.sharing == nil,
            let values = RecordSnapshot.values(state.plain), let encrypted = RecordSnapshot.values(state.encrypted)
        else { return nil }
        let snapshot = RecordSnapshot(
            type: recordType, name: RecordSnapshot.Name(recordID), changeTag: state.server.changeTag,
            creationDate: state.server.creationDate?.timeIntervalSinceReferenceDate,
            creator: state.server.creator.map { RecordSnapshot.Name($0) },
            modificationDate: state.server.modificationDate?.timeIntervalSinceReferenceDate,
            modifier: state.server.modifier.map { RecordSnapshot.Name($0) }, device: state.server.device,
            values: values, encryptedValues: encrypted)
        // Numbers that are infinite or none have no form in JSON.
        return try? JSONEncoder().encode(snapshot)
    }

    /// Reads a record from a snapshot.
    /// - Throws: `DecodingError` for bytes that are not a snapshot, or that hold names which no record can have.
    package convenience init(snapshot data: Data) throws {
        let snapshot = try JSONDecoder().decode(RecordSnapshot.self, from: data)
        let keys = [snapshot.values.keys, snapshot.encryptedValues.keys].joined()
        guard FieldName.isIdentifier(snapshot.type), keys.allSatisfy(FieldName.isKey) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "a record cannot have these names"))
        }
        var state = RecordState()
        state.server = RecordState.Server(
            changeTag: snapshot.changeTag,
            creationDate: snapshot.creationDate.map { Date(timeIntervalSinceReferenceDate: $0) },
            creator: snapshot.creator?.recordID,
            modificationDate: snapshot.modificationDate.map { Date(timeIntervalSinceReferenceDate: $0) },
            modifier: snapshot.modifier?.recordID, device: snapshot.device)
        state.plain = RecordFields(fetched: snapshot.values.compactMapValues(\.recordValue))
        state.encrypted = RecordFields(fetched: snapshot.encryptedValues.compactMapValues(\.recordValue))
        self.init(snapshot.type, snapshot.name.recordID, state)
    }
}

extension RecordSnapshot {
    /// Returns the values of fields; nil if one of them has no form here.
    static func values(_ fields: RecordFields) -> [String: Value]? {
        let values = fields.values.compactMapValues { Value($0.object) }
        return values.count == fields.values.count ? values : nil
    }
}

extension RecordSnapshot.Name {
    init(_ recordID: CKRecord.ID) {
        self.init(
            record: recordID.recordName, zone: recordID.zoneID.zoneName, owner: recordID.zoneID.ownerName)
    }

    var recordID: CKRecord.ID {
        CKRecord.ID(recordName: record, zoneID: CKRecordZone.ID(zoneName: zone, ownerName: owner))
    }
}

extension RecordSnapshot.Value {
    init?(_ object: NSObject) {
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
