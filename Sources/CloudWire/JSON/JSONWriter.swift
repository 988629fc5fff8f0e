/// Writes a JSON text, straight into bytes.
///
/// The writer puts the commas; that keys and values alternate and containers are closed is the caller's affair.
public struct JSONWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// `capacity` is the expected size in bytes.
    public init(capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Containers

    /// Opens an object; keys and values follow in turn.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Closes the innermost object.
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Opens an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Closes the innermost array.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// The key of the next member, which must be plain ASCII that needs no escapes.
    @inline(__always)
    public mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// The key of the next member, with the escapes it needs.
    public mutating func key(named name: String) {
        separate()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Scalars

    /// The word `null`.
    public mutating func null() { word("null") }

    /// `true` or `false`.
    public mutating func boolean(_ value: Bool) { word(value ? "true" : "false") }

    /// A string, with the escapes it needs.
    public mutating func string(_ value: String) {
        separate()
        quoted(value)
        needsComma = true
    }

    /// A string of plain ASCII that needs no escapes, such as the name of a type.
    public mutating func constant(_ value: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A string of bytes that are known to be plain ASCII without need of escapes, such as base64.
    mutating func plainString(_ value: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// An integer with all its digits.
    public mutating func integer(_ value: some FixedWidthInteger & SignedInteger) {
        separate()
        digits(Int64(value))
        needsComma = true
    }

    /// The shortest number that reads back as the same double; it always has a point or an exponent. JSON has no
    /// words for infinities and NaN: they become `null`.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        decimal(value)
        needsComma = true
    }

    /// An integer as a string, for readers whose numbers are doubles.
    mutating func quotedInteger(_ value: Int64) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        digits(value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A finite double as a string.
    mutating func quotedDouble(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(UInt8(ascii: "\""))
        decimal(value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        separate()
        bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        needsComma = true
    }

    private mutating func decimal(_ value: Double) {
        var text = value.description
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private mutating func digits(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func quoted(_ value: String) {
        var value = value
        value.withUTF8 { quoted($0) }
    }

    private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var index = 0
        while index < text.count {
            let run = Self.endOfPlainRun(text, from: index)
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[index..<run]))
            index = run
            if index < text.count {
                escape(text[index])
                index += 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Where the next byte stands that needs an escape.
    private static func endOfPlainRun(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        let raw = UnsafeRawBufferPointer(text)
        while index &+ 8 <= text.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            if JSONText.firstSpecial(word) != 0 { break }
            index &+= 8
        }
        while index < text.count, !needsEscape(text[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
            let digits: StaticString = "0123456789abcdef"
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
