/// Random numbers that are the same for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, CustomStringConvertible, Sendable {
    /// What it began with.
    public let seed: UInt64
    private var state: UInt64

    /// The numbers of a seed.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// For the words of a failure.
    public var description: String { "seed \(seed)" }

    /// The next number, any of 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// From 0 up to, and without, a bound.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Whether something happens that happens so many times in a hundred.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
