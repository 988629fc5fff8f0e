/// Header fields in order. Names are compared without regard to case.
public struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    /// One header line.
    public struct Field: Sendable, Hashable {
        /// The name as sent.
        public let name: String
        /// The value without white space around it.
        public let value: String
    }

    private var fields: [Field]

    /// The fields of a literal.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of that name.
    public subscript(name: String) -> String? { first { Self.isSame($0.name, name) }?.value }

    /// Adds a field, beside others of that name.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// The fields in order.
    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
