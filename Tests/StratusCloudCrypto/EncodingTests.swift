import StratusCloudCrypto
import Testing

@Suite struct EncodingTests {
    @Test func anyBytesComeBack() {
        let seed = RandomSource.system.integer()
        let random = RandomSource.seeded(seed)
        for length in 0..<400 {
            let bytes = random.bytes(length)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes, "seed \(seed)")
            #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes, "seed \(seed)")
        }
    }

    @Test(arguments: ["0", "0g", "0x", "é", " 0", "-1", "000"])
    func hexRefusesOtherText(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test func hexKnownAnswer() {
        #expect(Hex.encode([0, 0x0F, 0xF0, 0xFF]) == "000ff0ff")
        #expect(Hex.decode("000Ff0fF") == [0, 0x0F, 0xF0, 0xFF])
    }
}
