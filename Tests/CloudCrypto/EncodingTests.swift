import CloudCrypto
import Testing

@Suite struct EncodingTests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64KnownAnswers(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
    }

    @Test(arguments: [
        "Zg", "Zg=", "Z", "====", "=", "Zg==Zg==", "Zg=a", "Z===", "Zm9v\n", " Zm9", "Zm9-", "Zm9_", "Zh==", "Zm9=",
        "Zé==", "Zm9v====", "Zm=v",
    ])
    func base64RefusesWhatIsNotCanonical(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func anyBytesComeBack() {
        let seed = RandomSource.system.integer()
        let random = RandomSource.seeded(seed)
        for length in 0..<400 {
            let bytes = random.bytes(length)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes, "seed \(seed)")
            #expect(Hex.decode(Hex.encode(bytes)) == bytes, "seed \(seed)")
            #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes, "seed \(seed)")
        }
    }

    /// Whatever text is decoded encodes to itself, so no two texts stand for the same bytes.
    @Test func onlyCanonicalBase64IsDecoded() {
        let seed = RandomSource.system.integer()
        let random = RandomSource.seeded(seed)
        let alphabet = Array("AQgw/+9z=\n".utf8)
        var decodedTexts = 0
        for _ in 0..<20_000 {
            let text = String(decoding: random.bytes(4).map { alphabet[Int($0) % alphabet.count] }, as: UTF8.self)
            guard let bytes = Base64.decode(text) else { continue }
            decodedTexts += 1
            #expect(Base64.encode(bytes) == text, "seed \(seed)")
        }
        #expect(decodedTexts > 0)
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
