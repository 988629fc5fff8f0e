import CloudCrypto
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
            var position = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    buffer[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: half >> UInt64(60 - digit % 16 * 4)) & 15
                buffer[position] = value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
                position += 1
            }
            return position
        }
    }
}
