import Foundation

/// Seeds of tests whose input is random. A test that fails says its seed.
public enum Seed {
    /// The seed that all tests are to use, so that one that failed is run again: `STRATUS_SEED`.
    public static let given = environment["STRATUS_SEED"].flatMap { UInt64($0) }

    /// Text that the seeds of a run follow from: `STRATUS_SEEDS`. `./stratus test` sets it to what is committed, so that
    /// every change is tried with new input, and two runs of the same change with the same. Empty or absent: each run
    /// has its own.
    private static let run = environment["STRATUS_SEEDS"].flatMap { $0.isEmpty ? nil : $0 }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// The seed of the test that asks.
    /// - Parameter part: tells seeds apart that are drawn in the same line.
    public static func draw(_ part: Int = 0, file: StaticString = #fileID, line: UInt = #line) -> UInt64 {
        if let given { return given }
        guard let run else { return .random(in: .min ... .max) }
        // FNV-1a, which any seed is good enough for: SplitMix64 mixes it.
        return "\(run) \(file) \(line) \(part)".utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }
}
