/// SplitMix64: the same numbers for the same seed on every machine.
struct Randomness: RandomNumberGenerator {
    private var state: UInt64

    /// A stream of its own for each iteration of each target, so that any one can be run again alone.
    init(seed: UInt64, target: Int, iteration: UInt64) {
        state = seed
        state = next() ^ UInt64(target)
        state = next() ^ iteration
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &self) }

    mutating func pick<Element>(_ choices: [Element]) -> Element? { choices.randomElement(using: &self) }
}
