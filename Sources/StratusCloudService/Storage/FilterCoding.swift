import StratusCloudModel

/// The stored form of a query's conditions, as they came: what they mean is settled by the schema whenever they are
/// read.
extension Filter {
    init(from reader: inout ByteReader) throws {
        guard let comparator = Comparator(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
        self.init(
            comparator, try reader.optional { try QueryField(from: &$0) }, try FieldInput(from: &reader),
            distance: try reader.optional { try $0.double() })
    }

    func write(to writer: inout ByteWriter) {
        writer.write(comparator.rawValue)
        writer.write(optional: field) { $1.write(to: &$0) }
        value.write(to: &writer)
        writer.write(optional: distance) { $0.write(double: $1) }
    }
}

extension QueryField {
    init(from reader: inout ByteReader) throws {
        switch try reader.byte() {
        case 0: self = .named(try reader.string())
        case 1:
            guard let field = SystemField(rawValue: try reader.string()) else { throw ByteReader.Malformed() }
            self = .system(field)
        default: throw ByteReader.Malformed()
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .named(let name):
            writer.write(byte: 0)
            writer.write(name)
        case .system(let field):
            writer.write(byte: 1)
            writer.write(field.rawValue)
        }
    }
}

extension FieldInput {
    init(from reader: inout ByteReader) throws {
        self.init(
            try InputValue(from: &reader, depth: 0), declaredType: try reader.optional { try DeclaredType(from: &$0) },
            isEncrypted: try reader.byte() != 0)
    }

    func write(to writer: inout ByteWriter) {
        value.write(to: &writer)
        writer.write(optional: declaredType) { $1.write(to: &$0) }
        writer.write(byte: isEncrypted ? 1 : 0)
    }
}

extension DeclaredType {
    private static let list: UInt8 = 0x40
    private static let listOfAnything: UInt8 = 0x7F

    fileprivate init(from reader: inout ByteReader) throws {
        let byte = try reader.byte()
        if byte == Self.listOfAnything {
            self = .list(nil)
            return
        }
        guard let type = ScalarType(rawValue: byte & ~Self.list) else { throw ByteReader.Malformed() }
        self = byte & Self.list != 0 ? .list(type) : .scalar(type)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        switch self {
        case .scalar(let type): writer.write(byte: type.rawValue)
        case .list(let type?): writer.write(byte: type.rawValue | Self.list)
        case .list(nil): writer.write(byte: Self.listOfAnything)
        }
    }
}

extension InputValue {
    fileprivate init(from reader: inout ByteReader, depth: Int) throws {
        switch try reader.byte() {
        case 0: self = .null
        case 1: self = .boolean(false)
        case 2: self = .boolean(true)
        case 3: self = .integer(try reader.signed())
        case 4: self = .decimal(try reader.double())
        case 5: self = .text(try reader.string())
        case 6:
            guard case .scalar(let value) = try Field(from: &reader).value else { throw ByteReader.Malformed() }
            self = .scalar(value)
        case 7 where depth == 0: self = .list(try reader.list { try InputValue(from: &$0, depth: 1) })
        case 8: self = .largeInteger(try reader.double())
        default: throw ByteReader.Malformed()
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .null: writer.write(byte: 0)
        case .boolean(let value): writer.write(byte: value ? 2 : 1)
        case .integer(let value):
            writer.write(byte: 3)
            writer.write(signed: value)
        case .decimal(let value):
            writer.write(byte: 4)
            writer.write(double: value)
        case .largeInteger(let value):
            writer.write(byte: 8)
            writer.write(double: value)
        case .text(let value):
            writer.write(byte: 5)
            writer.write(value)
        case .scalar(let value):
            writer.write(byte: 6)
            Field(.scalar(value)).write(to: &writer)
        case .list(let members):
            writer.write(byte: 7)
            writer.write(list: members) { $1.write(to: &$0) }
        }
    }
}
