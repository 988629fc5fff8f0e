/// The first sixteen bytes of a key as numbers, filled up with zeros: they tell most keys apart without a look at the
/// keys themselves, each of which is memory of its own.
struct KeyHead: Comparable, Sendable {
    private static let size = 16
    private static let half = MemoryLayout<UInt64>.size

    private let high, low: UInt64

    init(_ key: Key) { self = key.bytes.withUnsafeBytes { KeyHead($0) } }

    init(_ key: UnsafeRawBufferPointer) {
        if key.count >= Self.size {
            high = UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
            low = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: Self.half, as: UInt64.self))
        } else {
            (high, low) = (Self.number(key.prefix(Self.half)), Self.number(key.dropFirst(Self.half)))
        }
    }

    /// If the heads differ, the keys sort as they do.
    @inline(__always)
    static func < (left: KeyHead, right: KeyHead) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
        var number: UInt64 = 0
        for (index, byte) in bytes.enumerated() { number |= UInt64(byte) << UInt64(8 * (half - 1 - index)) }
        return number
    }
}
