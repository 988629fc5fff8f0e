import StratusCSodium
import StratusWorkers

/// Where random bytes come from: the system, or in tests a seed.
public struct RandomSource: Sendable {
    private let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// A source that fills the buffers it is given. It may be called from several threads at once.
    public init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) { self.fill = fill }

    /// The operating system's generator, fit for keys and tokens.
    public static let system = RandomSource { buffer in
        Sodium.ready()
        if let start = buffer.baseAddress { randombytes_buf(start, buffer.count) }
    }

    /// Always the same bytes for the same seed. **Only for tests and simulation.**
    public static func seeded(_ seed: UInt64) -> RandomSource {
        let generator = Lock(SplitMix64(state: seed))
        return RandomSource { buffer in
            // A pointer is not Sendable, so the bytes are made inside the lock and copied outside of it.
            let count = buffer.count
            buffer.copyBytes(from: generator.withLock { generator in (0..<count).map { _ in generator.nextByte() } })
        }
    }

    /// `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
            written = count
        }
    }

    /// A random number, uniform over all 64 bits.
    public func integer() -> UInt64 {
        var value: UInt64 = 0
        withUnsafeMutableBytes(of: &value) { fill($0) }
        return value
    }
}

/// Steele, Lea and Flood's SplitMix64: small, good enough to simulate, no secret.
private struct SplitMix64: Sendable {
    var state: UInt64

    mutating func nextByte() -> UInt8 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: z ^ (z >> 31))
    }
}
