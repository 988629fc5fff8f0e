/// Header fields in the order they were received, looked up without regard to case.
///
/// The fields lie in one buffer and become strings only when asked for. Bytes that are not UTF-8 are read as U+FFFD.
public struct HTTPHeaders: Sendable {
    /// Where one field lies in `bytes`.
    struct Field {
        var name: Range<UInt32>
        var value: Range<UInt32>
    }

    private let bytes: [UInt8]
    private let fields: [Field]
    /// A bit for each length that a name has. Most names that a handler asks for are not there.
    private let lengths: UInt64

    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
        lengths = fields.reduce(0) { $0 | Self.bit(forLength: $1.name.count) }
    }

    /// Long names share the last one.
    private static func bit(forLength length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

    /// Headers from names and values, in this order.
    public init(_ pairs: [(String, String)] = []) {
        var bytes: [UInt8] = []
        var fields: [Field] = []
        for (name, value) in pairs {
            let start = UInt32(bytes.count)
            bytes.append(contentsOf: name.utf8)
            let middle = UInt32(bytes.count)
            bytes.append(contentsOf: value.utf8)
            fields.append(Field(name: start..<middle, value: middle..<UInt32(bytes.count)))
        }
        self.init(bytes: bytes, fields: fields)
    }

    /// The number of fields.
    public var count: Int { fields.count }

    /// The value of the first field of this name.
    public subscript(name: String) -> String? {
        guard lengths & Self.bit(forLength: name.utf8.count) != 0 else { return nil }
        for field in fields where matches(field, name) { return text(field.value) }
        return nil
    }

    /// The values of all fields of this name, in order.
    public func all(_ name: String) -> [String] {
        fields.filter { matches($0, name) }.map { text($0.value) }
    }

    /// All fields, in order, with the names as they were sent.
    public var pairs: [(name: String, value: String)] {
        fields.map { (text($0.name), text($0.value)) }
    }

    private func text(_ range: Range<UInt32>) -> String {
        String(decoding: bytes[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self)
    }

    private func matches(_ field: Field, _ name: String) -> Bool {
        let (sent, asked) = (bytes.span, name.utf8.span)
        guard asked.count == field.name.count else { return false }
        let start = Int(field.name.lowerBound)
        for index in asked.indices where sent[start + index].lowercasedASCII != asked[index].lowercasedASCII {
            return false
        }
        return true
    }
}

extension UInt8 {
    /// The byte with A–Z made small, for names that do not regard case.
    var lowercasedASCII: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}
