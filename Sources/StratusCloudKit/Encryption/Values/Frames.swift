/// Byte strings one after another, each behind its length: no two lists of strings have the same bytes.
///
/// What is authenticated beside a message, what keys are derived for, and the envelopes of keys are all written so.
struct Frames: Hashable, Sendable {
    private(set) var bytes: [UInt8] = []

    /// Without a label, for what says itself what it is.
    static var empty: Frames { Frames() }

    private init() {}

    /// Begins with a label, which says what the rest is.
    init(_ label: String) { add(label) }

    mutating func add(_ part: [UInt8]) {
        bytes.append(bigEndian: UInt32(part.count))
        bytes += part
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    func adding(_ parts: String...) -> Frames { parts.reduce(into: self) { $0.add($1) } }

    func adding(_ parts: [UInt8]...) -> Frames { parts.reduce(into: self) { $0.add($1) } }
}

/// Reads what ``Frames`` wrote, or any other bytes with numbers in them.
struct FrameReader {
    /// The bytes are not what they should be.
    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Reads frames that must begin with a label.
    init(_ bytes: [UInt8], label: String) throws(Malformed) {
        self.init(bytes)
        guard try frame() == Array(label.utf8) else { throw Malformed() }
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func byte() throws(Malformed) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Malformed() }
        return byte
    }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(Malformed) -> Number {
        try take(Number.bitWidth / 8).reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func frame() throws(Malformed) -> [UInt8] { try take(Int(try number(UInt32.self))) }

    /// A frame of a certain length.
    mutating func frame(count: Int) throws(Malformed) -> [UInt8] {
        let bytes = try frame()
        guard bytes.count == count else { throw Malformed() }
        return bytes
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try frame(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Nothing but zeros may follow.
    func endOfPadding() throws(Malformed) {
        guard rest.allSatisfy({ $0 == 0 }) else { throw Malformed() }
    }
}

extension [UInt8] {
    mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
