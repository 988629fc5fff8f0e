import StratusCPlainText

/// Writes a JSON text, straight into bytes.
///
/// The writer puts the commas; that keys and values alternate and containers are closed is the caller's affair.
public struct JSONWriter: Sendable {
    private var buffer: JSONBuffer
    private var needsComma = false

    /// `capacity` is the expected size in bytes.
    public init(capacity: Int = 1_024) {
        buffer = JSONBuffer(capacity: capacity)
    }

    /// What has been written.
    public var bytes: [UInt8] { mutating get { buffer.trimmed() } }

    /// How many bytes have been written.
    var count: Int { buffer.count }

    /// Makes room for so many more bytes.
    mutating func reserve(_ count: Int) { buffer.reserve(count) }

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
        plainKey(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// A key that needs no escapes.
    @inline(__always)
    private mutating func plainKey(_ name: UnsafeBufferPointer<UInt8>) {
        let count = name.count
        let comma = needsComma ? 1 : 0
        buffer.add(atMost: count &+ 4) { room in
            room[0] = UInt8(ascii: ",")
            room[comma] = UInt8(ascii: "\"")
            if let first = name.baseAddress { (room + comma + 1).update(from: first, count: count) }
            room[comma &+ count &+ 1] = UInt8(ascii: "\"")
            room[comma &+ count &+ 2] = UInt8(ascii: ":")
            return comma &+ count &+ 3
        }
        needsComma = false
    }

    /// The key of the next member, with the escapes it needs.
    public mutating func key(named name: String) {
        separate()
        quoted(name)
        buffer.add(UInt8(ascii: ":"))
        needsComma = false
    }

    /// As ``key(named:)``, of UTF-8.
    mutating func key(utf8 name: UnsafeBufferPointer<UInt8>) {
        if Self.endOfPlainRun(name, from: 0) == name.count { return plainKey(name) }
        separate()
        quoted(name)
        buffer.add(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Scalars

    /// As ``string(_:)``, of UTF-8.
    mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        separate()
        quoted(text)
        needsComma = true
    }

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
        unescaped(UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
        needsComma = true
    }

    /// Some part of the text, with all its punctuation, in ASCII.
    /// - Parameter needsComma: whether a member or value that comes next is to be set off from it.
    @inline(__always)
    mutating func piece(_ text: StaticString, needsComma: Bool) {
        buffer.add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        self.needsComma = needsComma
    }

    /// A value or members with all their punctuation, put together in one go, and before them a comma where one is due.
    /// - Parameter size: bytes that they have at most.
    /// - Parameter opens: whether they end with an open bracket, so that what comes next is not to be set off from them.
    @inline(__always)
    mutating func pieces(atMost size: Int, opens: Bool = false, _ body: (inout JSONRoom) -> Void) {
        let isSetOff = needsComma
        buffer.add(atMost: size &+ 1) { (room: inout JSONRoom) in
            if isSetOff { room.put(UInt8(ascii: ",")) }
            body(&room)
        }
        needsComma = !opens
    }

    /// As ``pieces(atMost:opens:_:)``, of what brings its own comma.
    @inline(__always)
    mutating func endingPieces(atMost size: Int, _ body: (inout JSONRoom) -> Void) {
        needsComma = false
        pieces(atMost: size, body)
    }

    /// A value, or members without their braces, already written as JSON.
    mutating func fragment(_ text: [UInt8]) {
        separate()
        text.withUnsafeBufferPointer { buffer.add($0) }
        needsComma = true
    }

    /// A string of bytes that are known to be plain ASCII without need of escapes, such as base64.
    mutating func plainString(_ value: [UInt8]) {
        separate()
        value.withUnsafeBufferPointer { unescaped($0) }
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

    /// A number beyond 64 bits in digits alone, which read back as the same double.
    mutating func largeInteger(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        // The shortest digits of the double, and the zeros that its exponent stands for.
        let parts = value.magnitude.description.split(separator: "e")
        let number = parts[0].split(separator: ".")
        let fraction = number.count > 1 && number[1] != "0" ? number[1] : ""
        let zeros = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.utf8.count
        if value < 0 { buffer.add(UInt8(ascii: "-")) }
        for byte in (number[0] + fraction).utf8 { buffer.add(byte) }
        for _ in 0..<max(0, zeros) { buffer.add(UInt8(ascii: "0")) }
        needsComma = true
    }

    /// An integer as a string, for readers whose numbers are doubles.
    mutating func quotedInteger(_ value: Int64) {
        separate()
        buffer.add(UInt8(ascii: "\""))
        digits(value)
        buffer.add(UInt8(ascii: "\""))
        needsComma = true
    }

    /// A finite double as a string.
    mutating func quotedDouble(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        buffer.add(UInt8(ascii: "\""))
        decimal(value)
        buffer.add(UInt8(ascii: "\""))
        needsComma = true
    }

    // MARK: Bytes

    @inline(__always)
    private mutating func separate() {
        if needsComma { buffer.add(UInt8(ascii: ",")) }
    }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        buffer.add(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        buffer.add(bracket)
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        separate()
        buffer.add(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        needsComma = true
    }

    private mutating func decimal(_ value: Double) {
        if let short = ShortDecimal(value) {
            return buffer.add(atMost: ShortDecimal.longest) { (room: inout JSONRoom) in room.put(short) }
        }
        var text = value.description
        text.withUTF8 { buffer.add($0) }
    }

    private mutating func digits(_ value: Int64) {
        buffer.add(atMost: JSONRoom.longestInteger) { (room: inout JSONRoom) in room.put(value) }
    }

    /// Quotes around bytes that need no escapes.
    private mutating func unescaped(_ text: UnsafeBufferPointer<UInt8>) {
        buffer.add(atMost: text.count &+ 2) { room in
            room[0] = UInt8(ascii: "\"")
            if let first = text.baseAddress { (room + 1).update(from: first, count: text.count) }
            room[text.count &+ 1] = UInt8(ascii: "\"")
            return text.count &+ 2
        }
    }

    private mutating func quoted(_ value: String) {
        var value = value
        value.withUTF8 { quoted($0) }
    }

    private mutating func quoted(_ text: UnsafeBufferPointer<UInt8>) {
        var index = Self.endOfPlainRun(text, from: 0)
        guard index < text.count else { return unescaped(text) }
        buffer.add(UInt8(ascii: "\""))
        buffer.add(UnsafeBufferPointer(rebasing: text[..<index]))
        while index < text.count {
            escape(text[index])
            let run = Self.endOfPlainRun(text, from: index + 1)
            buffer.add(UnsafeBufferPointer(rebasing: text[(index + 1)..<run]))
            index = run
        }
        buffer.add(UInt8(ascii: "\""))
    }

    /// Whether a text needs no escapes.
    static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool { endOfPlainRun(text, from: 0) == text.count }

    /// Where the next byte stands that needs an escape.
    private static func endOfPlainRun(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let first = text.baseAddress else { return start }
        var index = plain_text_run(first, start, text.count)
        let raw = UnsafeRawBufferPointer(text)
        while index &+ 8 <= text.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = JSONText.firstToEscape(word)
            guard found == 0 else { return index &+ found.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        guard index < text.count, text.count &- start >= 8 else {
            while index < text.count, !needsEscape(text[index]) { index &+= 1 }
            return index
        }
        // The rest, and of what was found to be plain as much as makes a word.
        let known = index &- (text.count &- 8)
        let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self))
        let found = JSONText.firstToEscape(word) >> UInt64(8 &* known)
        return found == 0 ? text.count : index &+ found.trailingZeroBitCount >> 3
    }

    @inline(__always)
    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        buffer.add(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.add(byte)
        case 0x0A: buffer.add(UInt8(ascii: "n"))
        case 0x0D: buffer.add(UInt8(ascii: "r"))
        case 0x09: buffer.add(UInt8(ascii: "t"))
        default:
            for digit in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] { buffer.add(digit) }
            let digits: StaticString = "0123456789abcdef"
            buffer.add(digits.utf8Start[Int(byte >> 4)])
            buffer.add(digits.utf8Start[Int(byte & 15)])
        }
    }
}
