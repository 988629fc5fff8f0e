import Glibc

/// An address of the internet protocol, to tell what belongs to everybody from what is inside somebody's network.
public struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes, most significant first.
    private let bytes: [UInt8]

    /// From numbers as people write them, such as `192.0.2.1` or `2001:db8::1`; nil for anything else.
    public init?(_ text: String) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// From the bytes of a `sockaddr_in` or `sockaddr_in6`, of which the last may be missing where they are not needed.
    init?(socketAddress: UnsafeRawBufferPointer) {
        guard socketAddress.count >= MemoryLayout<sa_family_t>.size else { return nil }
        let place: Range<Int>
        switch Int32(socketAddress.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET: place = 4..<8
        case AF_INET6: place = 8..<24
        default: return nil
        }
        guard socketAddress.count >= place.upperBound else { return nil }
        bytes = Array(socketAddress[place])
    }

    /// Whether the internet routes it: neither this machine, nor a private or link-local network, nor a group, nor set
    /// aside for documentation, tests or the translation between protocols (RFC 6890).
    public var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { $0.contains(bytes) } }
        // How machines without an address of version 4 reach those that have nothing else.
        if Self.translated.contains(bytes) { return NetworkAddress(bytes: Array(bytes.suffix(4))).isPublic }
        return Self.global6.contains(bytes) && !Self.special6.contains { $0.contains(bytes) }
    }

    private struct Block: Sendable {
        let start: [UInt8]
        let bits: Int

        func contains(_ bytes: [UInt8]) -> Bool {
            guard bytes.count == start.count else { return false }
            let whole = bits / 8
            guard bytes[..<whole] == start[..<whole] else { return false }
            return bits % 8 == 0 || (bytes[whole] ^ start[whole]) >> UInt8(8 - bits % 8) == 0
        }
    }

    private static func four(_ first: UInt8, _ second: UInt8 = 0, _ third: UInt8 = 0, bits: Int) -> Block {
        Block(start: [first, second, third, 0], bits: bits)
    }

    private static func six(_ groups: UInt16..., bits: Int) -> Block {
        let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return Block(start: bytes + [UInt8](repeating: 0, count: 16 - bytes.count), bits: bits)
    }

    private static let special4 = [
        four(0, bits: 8), four(10, bits: 8), four(100, 64, bits: 10), four(127, bits: 8), four(169, 254, bits: 16),
        four(172, 16, bits: 12), four(192, 0, 0, bits: 24), four(192, 0, 2, bits: 24), four(192, 88, 99, bits: 24),
        four(192, 168, bits: 16), four(198, 18, bits: 15), four(198, 51, 100, bits: 24), four(203, 0, 113, bits: 24),
        four(224, bits: 4), four(240, bits: 4),
    ]
    private static let global6 = six(0x2000, bits: 3)
    private static let translated = six(0x64, 0xFF9B, bits: 96)
    private static let special6 = [
        six(0x2001, bits: 23), six(0x2001, 0xDB8, bits: 32), six(0x2002, bits: 16), six(0x3FFF, bits: 20),
    ]
}
