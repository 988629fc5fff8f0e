/// What keys begin with: enough to tell that none of them lies in a range of keys of another kind.
struct FirstBytes: Sendable {
    /// A bit for each byte. The empty key has that of zero, which is never far from it.
    private var bits = SIMD4<UInt64>()

    mutating func insert(_ key: Key) {
        let byte = Self.first(of: key)
        bits[Int(byte >> 6)] |= 1 &<< UInt64(byte & 63)
    }

    mutating func formUnion(_ other: FirstBytes) { bits |= other.bits }

    /// Whether a key of the range may be among them. Of a range over several first bytes, any may.
    func mayHold(_ range: KeyRange) -> Bool {
        let byte = Self.first(of: range.lower)
        guard byte == Self.first(of: range.upper) else { return bits != SIMD4<UInt64>() }
        return bits[Int(byte >> 6)] & (1 &<< UInt64(byte & 63)) != 0
    }

    private static func first(of key: Key) -> UInt8 { key.bytes.first ?? 0 }
}
