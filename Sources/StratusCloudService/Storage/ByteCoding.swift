/// Writes stored values: little-endian base-128 integers, length-prefixed strings.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    mutating func write(byte: UInt8) { bytes.append(byte) }

    mutating func write(unsigned value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Bytes that ``write(unsigned:)`` makes of a value.
    static func length(unsigned value: UInt64) -> Int { max(1, (64 - value.leadingZeroBitCount + 6) / 7) }

    /// Bytes that ``write(signed:)`` makes of a value.
    static func length(signed value: Int64) -> Int { length(unsigned: UInt64(bitPattern: value << 1 ^ value >> 63)) }

    /// Small magnitudes of either sign are short.
    mutating func write(signed value: Int64) {
        write(unsigned: UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    mutating func write(double value: Double) {
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(bytes value: [UInt8]) {
        write(unsigned: UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    mutating func write(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            write(unsigned: UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    mutating func write<Value>(optional value: Value?, _ body: (inout ByteWriter, Value) -> Void) {
        write(byte: value == nil ? 0 : 1)
        if let value { body(&self, value) }
    }

    mutating func write<Value>(list values: [Value], _ body: (inout ByteWriter, Value) -> Void) {
        write(unsigned: UInt64(values.count))
        for value in values { body(&self, value) }
    }
}

/// Reads what ``ByteWriter`` wrote, where it lies. Every step looks at the bounds first.
struct ByteReader {
    /// The bytes are not what the format says; the engine's checksums make that a bug or a newer format.
    struct Malformed: Error {}

    /// Not used after the call that lent them.
    let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    /// Reads memory that is there as long as the reader.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Lets `body` read an array. Neither the reader nor a piece of it may be kept.
    static func read<Result>(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { memory in
            var reader = ByteReader(memory)
            return try body(&reader)
        }
    }

    var isAtEnd: Bool { position == bytes.count }

    @inline(__always)
    mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Malformed() }
        defer { position &+= 1 }
        return bytes[position]
    }

    @inline(__always)
    mutating func unsigned() throws -> UInt64 {
        // Most are this short.
        if position < bytes.count, bytes[position] < 0x80 { return UInt64(try byte()) }
        return try longUnsigned()
    }

    private mutating func longUnsigned() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            guard shift < 64 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() throws -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func double() throws -> Double {
        guard bytes.count - position >= 8 else { throw Malformed() }
        defer { position += 8 }
        let bits = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        return Double(bitPattern: UInt64(littleEndian: bits))
    }

    /// The bytes behind a length, where they lie.
    @inline(__always)
    mutating func slice() throws -> UnsafeRawBufferPointer {
        let count = try unsigned()
        guard count <= UInt64(bytes.count - position) else { throw Malformed() }
        let start = position
        position += Int(count)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }

    /// As ``slice()``, of UTF-8.
    mutating func text() throws -> UnsafeBufferPointer<UInt8> { try slice().assumingMemoryBound(to: UInt8.self) }

    /// What is left, where it lies.
    var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

    mutating func skip(_ count: Int) throws {
        guard count <= bytes.count - position else { throw Malformed() }
        position += count
    }

    /// Passes over so many bytes if all of them are zeros.
    mutating func skipZeros(_ count: Int) throws -> Bool {
        guard count <= bytes.count - position else { throw Malformed() }
        for offset in position..<position + count where bytes[offset] != 0 { return false }
        position += count
        return true
    }

    mutating func skipSlice() throws { _ = try slice() }

    mutating func string() throws -> String {
        // Only valid UTF-8 is ever written, and the engine checks what it reads.
        String(decoding: try text(), as: UTF8.self)
    }

    mutating func optional<Value>(_ body: (inout ByteReader) throws -> Value) throws -> Value? {
        try byte() == 0 ? nil : body(&self)
    }

    mutating func list<Value>(_ body: (inout ByteReader) throws -> Value) throws -> [Value] {
        var values: [Value] = []
        for _ in 0..<(try unsigned()) { values.append(try body(&self)) }
        return values
    }
}
