import StratusCloudModel

/// The counters of a schema; its record types lie beside, each under a key of its own.
struct SchemaHeader: StoredValue, Hashable {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    var version: UInt64 = 0
    var nextIndexNumber: UInt64 = 1
    var roles: [String] = []
    var droppedIndexes: [IndexNumber] = []
    var isBeingReset = false

    init(_ schema: Schema = Schema()) {
        version = schema.version
        nextIndexNumber = schema.nextIndexNumber
        roles = schema.roles.sorted()
        droppedIndexes = schema.droppedIndexes
        isBeingReset = schema.isBeingReset
    }

    init(from reader: inout ByteReader) throws {
        version = try reader.unsigned()
        nextIndexNumber = try reader.unsigned()
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.unsigned()) { roles.append(try reader.string()) }
        for _ in 0..<(try reader.unsigned()) { droppedIndexes.append(IndexNumber(rawValue: try reader.unsigned())) }
        isBeingReset = try reader.byte() != 0
    }

    func write(to writer: inout ByteWriter) {
        writer.write(unsigned: version)
        writer.write(unsigned: nextIndexNumber)
        writer.write(unsigned: UInt64(roles.count))
        for role in roles { writer.write(role) }
        writer.write(unsigned: UInt64(droppedIndexes.count))
        for number in droppedIndexes { writer.write(unsigned: number.rawValue) }
        writer.write(byte: isBeingReset ? 1 : 0)
    }
}

extension RecordTypeSchema: StoredValue {
    static let format: UInt8 = 2
    static let readableFormats: ClosedRange<UInt8> = 1...2

    init(from reader: inout ByteReader) throws {
        name = try reader.string()
        for _ in 0..<(try reader.unsigned()) {
            let field = try FieldSchema(from: &reader)
            fields[field.name] = field
        }
        for _ in 0..<(try reader.unsigned()) {
            guard let field = SystemField(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
            systemFields[field] = try FieldIndex(from: &reader)
        }
        grants = []
        for _ in 0..<(try reader.unsigned()) {
            grants.append(try Grant(from: &reader))
        }
        guard !reader.isAtEnd else { return }
        for _ in 0..<(try reader.unsigned()) {
            let name = try reader.string()
            guard fields[name] != nil else { throw ByteReader.Malformed() }
            fields[name]?.building = try FieldIndex(from: &reader)
        }
        for _ in 0..<(try reader.unsigned()) {
            guard let field = SystemField(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
            systemFieldsBuilding[field] = try FieldIndex(from: &reader)
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.write(unsigned: UInt64(fields.count))
        for field in fields.values.sorted(by: { $0.name < $1.name }) { field.write(to: &writer) }
        writer.write(unsigned: UInt64(systemFields.count))
        Self.write(systemFields, to: &writer)
        writer.write(unsigned: UInt64(grants.count))
        for grant in grants { grant.write(to: &writer) }
        let building = fields.values.compactMap { field in field.building.map { (field.name, $0) } }
        writer.write(unsigned: UInt64(building.count))
        for (name, index) in building.sorted(by: { $0.0 < $1.0 }) {
            writer.write(name)
            index.write(to: &writer)
        }
        writer.write(unsigned: UInt64(systemFieldsBuilding.count))
        Self.write(systemFieldsBuilding, to: &writer)
    }

    private static func write(_ indexes: [SystemField: FieldIndex], to writer: inout ByteWriter) {
        for (field, index) in indexes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            writer.write(field.rawValue)
            index.write(to: &writer)
        }
    }
}

extension FieldSchema {
    fileprivate init(from reader: inout ByteReader) throws {
        name = try reader.string()
        guard let scalar = ScalarType(rawValue: try reader.byte()) else { throw ByteReader.Malformed() }
        let flags = try reader.byte()
        type = FieldType(scalar, isList: flags & 1 != 0, isEncrypted: flags & 2 != 0)
        index = try reader.optional { try FieldIndex(from: &$0) }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(name)
        writer.write(byte: type.scalar.rawValue)
        writer.write(byte: (type.isList ? 1 : 0) | (type.isEncrypted ? 2 : 0))
        writer.write(optional: index) { $1.write(to: &$0) }
    }
}

extension Grant {
    init(from reader: inout ByteReader) throws {
        guard let permission = Permission(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.init(permission: permission, role: try reader.string())
    }

    func write(to writer: inout ByteWriter) {
        writer.write(permission.rawValue)
        writer.write(role)
    }
}

extension FieldIndex {
    fileprivate init(from reader: inout ByteReader) throws {
        kinds = Kinds(rawValue: try reader.byte())
        number = IndexNumber(rawValue: try reader.unsigned())
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.write(byte: kinds.rawValue)
        writer.write(unsigned: number.rawValue)
    }
}
