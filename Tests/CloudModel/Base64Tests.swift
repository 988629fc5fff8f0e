import CloudModel
import Testing

struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func vectorsOfTheStandard(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == Array(text.utf8))
        #expect(Base64.decode(text.utf8) == Array(bytes.utf8))
        #expect(Base64.decode(text.utf8.filter { $0 != UInt8(ascii: "=") }) == Array(bytes.utf8))
    }

    @Test func everyByteComesBack() {
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["A", "A===", "=", "AA=", "AA=A", "AAA==", "AAAA=", "AA-_", "AA A", "AA\n", "AAAA====", "é"])
    func refused(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
