/// Writes values so that the bytes sort as the values do, each element self-delimiting.
///
/// | element | bytes |
/// | --- | --- |
/// | byte | itself |
/// | string, bytes | their bytes, 0x00 as 0x00 0xFF, closed by 0x00 0x00 |
/// | unsigned | a length byte, then big-endian without leading zeros |
/// | signed 64 | big-endian with the sign bit flipped |
/// | double | big-endian; sign bit flipped if positive, all bits if negative; -0 as 0 |
public struct TupleEncoder: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8]

    /// Nothing yet, with room for `capacity` bytes.
    public init(capacity: Int = 96) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Goes on behind the bytes of a key.
    public init(_ key: Key) { bytes = key.bytes }

    /// What was written so far, as a key.
    public var key: Key { Key(bytes) }

    /// A byte as it is.
    public mutating func append(byte: UInt8) { bytes.append(byte) }

    /// Bytes that need no end mark: whatever stands last in a key.
    public mutating func append(rest: some Sequence<UInt8>) { bytes.append(contentsOf: rest) }

    /// The string's UTF-8.
    public mutating func append(string: String) { append(escaped: string.utf8) }

    /// Bytes of any length and their end mark.
    public mutating func append(escaped: some Sequence<UInt8>) {
        append(prefix: escaped)
        bytes.append(0)
        bytes.append(0)
    }

    /// The bytes of a string without its end mark: all strings that begin with it begin with these.
    public mutating func append(prefix: some Sequence<UInt8>) {
        // Nearly everything lies in one piece and has no zeros.
        let isWritten = prefix.withContiguousStorageIfAvailable { piece in
            guard !piece.contains(0) else { return false }
            bytes.append(contentsOf: piece)
            return true
        }
        guard isWritten != true else { return }
        for byte in prefix {
            bytes.append(byte)
            if byte == 0 { bytes.append(0xFF) }
        }
    }

    /// A number in as few bytes as it takes.
    public mutating func append(unsigned value: UInt64) {
        let length = (64 - value.leadingZeroBitCount + 7) / 8
        bytes.append(UInt8(length))
        for index in stride(from: length - 1, through: 0, by: -1) {
            bytes.append(UInt8(truncatingIfNeeded: value >> (UInt64(index) * 8)))
        }
    }

    /// A number in eight bytes.
    public mutating func append(signed value: Int64) {
        append(bigEndian: UInt64(bitPattern: value) ^ (1 << 63))
    }

    /// A number in eight bytes; all but NaN sort by value.
    public mutating func append(double value: Double) {
        let bits = value == 0 ? 0 : value.bitPattern
        append(bigEndian: bits >> 63 == 1 ? ~bits : bits ^ (1 << 63))
    }

    /// Eight bytes, the highest first.
    public mutating func append(bigEndian value: UInt64) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// Reads what ``TupleEncoder`` wrote. Returns nil where the bytes are not such a tuple.
public struct TupleDecoder: Sendable {
    private let bytes: [UInt8]
    private var position: Int

    /// Begins behind the first `count` bytes.
    public init(_ key: Key, skipping count: Int = 0) {
        bytes = key.bytes
        position = min(count, key.bytes.count)
    }

    /// Whether all was read.
    public var isAtEnd: Bool { position == bytes.count }
    /// Bytes read so far.
    public var offset: Int { position }

    /// Reads a byte.
    public mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Reads bytes up to their end mark.
    public mutating func escaped() -> [UInt8]? {
        var result: [UInt8] = []
        while position + 1 < bytes.count {
            let byte = bytes[position]
            if byte != 0 {
                result.append(byte)
                position += 1
            } else if bytes[position + 1] == 0xFF {
                result.append(0)
                position += 2
            } else {
                guard bytes[position + 1] == 0 else { return nil }
                position += 2
                return result
            }
        }
        // A string may end in a byte other than zero only before its end mark, which is missing here.
        return nil
    }

    /// Reads a string; nil also if it is not UTF-8.
    public mutating func string() -> String? {
        escaped().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Reads a number with its length.
    public mutating func unsigned() -> UInt64? {
        guard let length = byte(), length <= 8, position + Int(length) <= bytes.count else { return nil }
        var value: UInt64 = 0
        for _ in 0..<length {
            value = value << 8 | UInt64(bytes[position])
            position += 1
        }
        return value
    }

    /// The number with its length that some bytes begin with.
    public static func unsigned(in bytes: UnsafeRawBufferPointer) -> UInt64? {
        guard let length = bytes.first, length <= 8, bytes.count > length else { return nil }
        return bytes[1...Int(length)].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads eight bytes.
    public mutating func bigEndian() -> UInt64? {
        guard position + 8 <= bytes.count else { return nil }
        var value: UInt64 = 0
        for _ in 0..<8 {
            value = value << 8 | UInt64(bytes[position])
            position += 1
        }
        return value
    }

    /// Reads a number of eight bytes.
    public mutating func signed() -> Int64? {
        bigEndian().map { Int64(bitPattern: $0 ^ (1 << 63)) }
    }

    /// Reads a number of eight bytes.
    public mutating func double() -> Double? {
        bigEndian().map { Double(bitPattern: $0 >> 63 == 1 ? $0 ^ (1 << 63) : ~$0) }
    }

    /// Reads all that is left.
    public mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.count }
        return bytes[position...]
    }
}
