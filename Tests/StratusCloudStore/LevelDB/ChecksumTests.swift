import StratusCLevelDB
import StratusSeeds
import Testing

/// The checksum of tables and logs is CRC-32C, whatever way it is computed: older files hold it.
@Suite struct ChecksumTests {
    @Test func publishedValues() {
        #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(checksum([]) == 0)
    }

    /// Long ones are computed in lanes and put together.
    @Test func everyLengthIsComputedBitByBit() {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let bytes = (0..<13_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        var lengths = Array(0..<40) + (1_000..<1_020) + (2_010..<2_030) + (4_020..<4_110) + (8_060..<8_075)
        lengths += (0..<40).map { _ in Int.random(in: 0..<12_900, using: &random) }
        for length in lengths {
            let start = Int.random(in: 0..<60, using: &random)
            let before = UInt32.random(in: 0 ... .max, using: &random)
            let piece = Array(bytes[start..<start + length])
            #expect(checksum(piece, behind: before) == bitByBit(piece, behind: before), "seed \(seed), \(length) bytes")
        }
    }

    private func checksum(_ bytes: [UInt8], behind before: UInt32 = 0) -> UInt32 {
        cleveldb_crc32c(before, bytes, bytes.count)
    }

    private func bitByBit(_ bytes: [UInt8], behind before: UInt32) -> UInt32 {
        var value = ~before
        for byte in bytes {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
        }
        return ~value
    }
}
