import StratusCloudCrypto
import Synchronization

/// Makes the UUIDs of requests: unique in the process and, by 122 random bits at its start, elsewhere. They name
/// requests in logs and are no secret, so no system call is spent on each.
final class RequestIdentifiers: Sendable {
    private let keys: (UInt64, UInt64)
    private let next = Atomic<UInt64>(0)

    init(random: RandomSource = .system) { keys = (random.integer(), random.integer()) }

    /// A version 4 UUID in lower case.
    func make() -> String {
        let number = next.wrappingAdd(1, ordering: .relaxed).newValue
        // The mixing is a bijection, so different numbers give different halves.
        let low = Self.mix(keys.0 &+ number)
        let high = Self.mix(keys.1 ^ low)
        return Self.text(high & ~0xF000 | 0x4000, low & ~(0b11 << 62) | 0b10 << 62)
    }

    /// The finalizer of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            let room = UnsafeMutableRawBufferPointer(buffer)
            func put(_ value: some FixedWidthInteger, at offset: Int) {
                room.storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
            }
            let (second, third) = (digits(UInt32(truncatingIfNeeded: high)), digits(UInt32(low >> 32)))
            put(digits(UInt32(high >> 32)), at: 0)
            put(UInt32(truncatingIfNeeded: second), at: 9)
            put(UInt32(second >> 32), at: 14)
            put(UInt32(truncatingIfNeeded: third), at: 19)
            put(UInt32(third >> 32), at: 24)
            put(digits(UInt32(truncatingIfNeeded: low)), at: 28)
            for place in [8, 13, 18, 23] { buffer[place] = UInt8(ascii: "-") }
            return 36
        }
    }

    /// The eight hexadecimal digits of a number, the first in the lowest byte.
    private static func digits(_ value: UInt32) -> UInt64 {
        // The halves of each byte come to lie in a byte of their own.
        var x = UInt64(value.byteSwapped)
        x = x & 0xFFFF | (x & 0xFFFF_0000) << 16
        x = x & 0x0000_00FF_0000_00FF | (x & 0x0000_FF00_0000_FF00) << 8
        x = x >> 4 & 0x000F_000F_000F_000F | (x & 0x000F_000F_000F_000F) << 8
        // Six more than nine and less than sixteen has the bit of sixteen.
        let letters = (x &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return x &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }
}
