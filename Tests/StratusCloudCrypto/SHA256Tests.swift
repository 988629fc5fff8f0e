import StratusCloudCrypto
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4's examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func knownAnswers(text: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(text)) == digest)
    }

    @Test func aMillionBytesInPieces() {
        var hash = SHA256()
        let piece = [UInt8](repeating: 0x61, count: 1_000)
        for _ in 0..<1_000 { hash.update(piece) }
        #expect(Hex.encode(hash.digest()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func piecesOfAnySizeGiveTheDigestOfTheWhole() {
        let bytes = RandomSource.seeded(1).bytes(300)
        for cut in 0...300 {
            var hash = SHA256()
            hash.update(Array(bytes[..<cut]))
            hash.update(Array(bytes[cut...]))
            #expect(hash.digest() == SHA256.hash(bytes))
        }
    }

    @Test func aCopyContinuesOnItsOwn() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("x".utf8))
        first.update(Array("c".utf8))
        #expect(first.digest() == SHA256.hash("abc"))
        #expect(second.digest() == SHA256.hash("abx"))
        first.update(Array("d".utf8))
        #expect(first.digest() == SHA256.hash("abcd"))
    }
}
