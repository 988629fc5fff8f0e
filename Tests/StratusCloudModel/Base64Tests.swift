import StratusCloudModel
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func knownAnswers(text: String, encoded: String) {
        #expect(Base64.string(Array(text.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
        let unpadded = String(encoded.filter { $0 != "=" })
        #expect(Base64.decode(unpadded) == Array(text.utf8), "padding may be left out")
    }

    @Test(arguments: [
        "Zg=", "Z", "====", "=", "Zg==Zg==", "Zg=a", "Z===", "Zm9v\n", " Zm9", "Zm9-", "Zm9_", "Zé==", "Zm9v====",
        "Zm=v",
    ])
    func refusesWhatIsNoBase64(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func anyBytesComeBack() {
        for length in 0..<400 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }
}
