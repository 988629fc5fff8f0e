import StratusCloudModel

/// The stored form of field values. A field begins with a byte: the scalar type in the low bits, and flags.
private enum FieldFlag {
    static let list: UInt8 = 0x40
    static let encrypted: UInt8 = 0x80
    static let typeMask: UInt8 = 0x3F
}

extension Field {
    init(from reader: inout ByteReader) throws {
        let head = try reader.byte()
        guard let type = ScalarType(rawValue: head & FieldFlag.typeMask) else { throw ByteReader.Malformed() }
        let isEncrypted = head & FieldFlag.encrypted != 0
        guard head & FieldFlag.list != 0 else {
            self.init(.scalar(try ScalarValue(type, from: &reader)), isEncrypted: isEncrypted)
            return
        }
        var elements: [ScalarValue] = []
        for _ in 0..<(try reader.unsigned()) { elements.append(try ScalarValue(type, from: &reader)) }
        self.init(.list(of: type, elements: elements), isEncrypted: isEncrypted)
    }

    /// Shows what ``init(from:)`` reads, making no values of what is frequent.
    static func show(
        _ name: UnsafeBufferPointer<UInt8>, in reader: inout ByteReader, to visitor: inout some FieldVisitor
    ) throws {
        let start = reader
        let head = try reader.byte()
        let isEncrypted = head & FieldFlag.encrypted != 0
        switch head & ~FieldFlag.encrypted {
        case ScalarType.string.rawValue: visitor.text(name, try reader.text(), isEncrypted: isEncrypted)
        case ScalarType.int64.rawValue: visitor.integer(name, try reader.signed(), isEncrypted: isEncrypted)
        case ScalarType.double.rawValue: visitor.double(name, try reader.double(), isEncrypted: isEncrypted)
        case ScalarType.timestamp.rawValue:
            visitor.timestamp(name, try Timestamp(from: &reader), isEncrypted: isEncrypted)
        case ScalarType.string.rawValue | FieldFlag.list:
            visitor.beginTexts(name)
            for _ in 0..<(try reader.unsigned()) { visitor.member(try reader.text()) }
            visitor.endTexts(isEncrypted: isEncrypted)
        default:
            reader = start
            visitor.field(name, try Field(from: &reader))
        }
    }

    /// Passes over what ``init(from:)`` reads, and throws where it would.
    static func skip(in reader: inout ByteReader) throws {
        let head = try reader.byte()
        guard let type = ScalarType(rawValue: head & FieldFlag.typeMask) else { throw ByteReader.Malformed() }
        let count = head & FieldFlag.list != 0 ? try reader.unsigned() : 1
        for _ in 0..<count { try ScalarValue.skip(type, in: &reader) }
    }

    func write(to writer: inout ByteWriter) {
        let encrypted = isEncrypted ? FieldFlag.encrypted : 0
        switch value {
        case .scalar(let scalar):
            writer.write(byte: scalar.type.rawValue | encrypted)
            scalar.write(to: &writer)
        case .list(let type, let elements):
            writer.write(byte: type.rawValue | FieldFlag.list | encrypted)
            writer.write(unsigned: UInt64(elements.count))
            for element in elements { element.write(to: &writer) }
        }
    }
}

extension ScalarValue {
    fileprivate init(_ type: ScalarType, from reader: inout ByteReader) throws {
        self =
            switch type {
            case .string: .string(try reader.string())
            case .int64: .int64(try reader.signed())
            case .double: .double(try reader.double())
            case .timestamp: .timestamp(try Timestamp(from: &reader))
            case .bytes: .bytes(Array(try reader.slice()))
            case .location: .location(try Location(from: &reader))
            case .reference: .reference(try Reference(from: &reader))
            case .asset: .asset(try Asset(from: &reader))
            }
    }

    fileprivate static func skip(_ type: ScalarType, in reader: inout ByteReader) throws {
        switch type {
        case .string, .bytes: try reader.skipSlice()
        case .int64: _ = try reader.signed()
        case .double: try reader.skip(8)
        case .timestamp: _ = try Timestamp(from: &reader)
        // Nothing but numbers, which take no room of their own.
        case .location: _ = try Location(from: &reader)
        case .reference: try Reference.skip(in: &reader)
        case .asset: try Asset.skip(in: &reader)
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .string(let value): writer.write(value)
        case .int64(let value): writer.write(signed: value)
        case .double(let value): writer.write(double: value)
        case .timestamp(let value): value.write(to: &writer)
        case .bytes(let value): writer.write(bytes: value)
        case .location(let value): value.write(to: &writer)
        case .reference(let value): value.write(to: &writer)
        case .asset(let value): value.write(to: &writer)
        }
    }
}

extension Timestamp {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(milliseconds: try reader.signed(), exactReferenceSeconds: try reader.optional { try $0.double() })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(signed: milliseconds)
        writer.write(optional: exactReferenceSeconds) { $0.write(double: $1) }
    }
}

extension Location {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            latitude: try reader.double(), longitude: try reader.double(),
            horizontalAccuracy: try reader.optional { try $0.double() },
            verticalAccuracy: try reader.optional { try $0.double() },
            altitude: try reader.optional { try $0.double() }, speed: try reader.optional { try $0.double() },
            course: try reader.optional { try $0.double() },
            timestamp: try reader.optional { try Timestamp(from: &$0) })
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(double: latitude)
        writer.write(double: longitude)
        for value in [horizontalAccuracy, verticalAccuracy, altitude, speed, course] {
            writer.write(optional: value) { $0.write(double: $1) }
        }
        writer.write(optional: timestamp) { $1.write(to: &$0) }
    }
}

extension Reference {
    init(from reader: inout ByteReader) throws {
        let recordName = try reader.string()
        let zoneID = try reader.optional { try ZoneID(from: &$0) }
        guard let action = Action(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        self.init(recordName: recordName, zoneID: zoneID, action: action)
    }

    fileprivate static func skip(in reader: inout ByteReader) throws {
        try reader.skipSlice()
        _ = try reader.optional { try ZoneID.skip(in: &$0) }
        guard Action(rawValue: try reader.byte()) != nil else { throw ByteReader.Malformed() }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(recordName)
        writer.write(optional: zoneID) { $1.write(to: &$0) }
        writer.write(byte: action.rawValue)
    }
}

extension ZoneID {
    init(from reader: inout ByteReader) throws {
        self.init(zoneName: try reader.string(), ownerRecordName: try reader.optional { try $0.string() })
    }

    fileprivate static func skip(in reader: inout ByteReader) throws {
        try reader.skipSlice()
        _ = try reader.optional { try $0.skipSlice() }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(zoneName)
        writer.write(optional: ownerRecordName) { $0.write($1) }
    }
}

extension Asset {
    fileprivate init(from reader: inout ByteReader) throws {
        self.init(
            fileChecksum: try reader.string(), size: try reader.signed(),
            receipt: try reader.optional { try $0.string() },
            referenceChecksum: try reader.optional { try $0.string() },
            wrappingKey: try reader.optional { try $0.string() })
    }

    fileprivate static func skip(in reader: inout ByteReader) throws {
        try reader.skipSlice()
        _ = try reader.signed()
        for _ in 0..<3 { _ = try reader.optional { try $0.skipSlice() } }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(fileChecksum)
        writer.write(signed: size)
        for value in [receipt, referenceChecksum, wrappingKey] {
            writer.write(optional: value) { $0.write($1) }
        }
    }
}
