import StratusCloudCrypto
import Testing

@Suite struct AgreementTests {
    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    @Test("AES-256-GCM: cases 13, 14 and 16 of its specification") func gcm256() throws {
        let zeros = AES256GCM(key: [UInt8](repeating: 0, count: 32))
        let nonce = [UInt8](repeating: 0, count: 12)
        #expect(Hex.encode(zeros.seal([], nonce: nonce, additionalData: [])) == "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(
            Hex.encode(zeros.seal([UInt8](repeating: 0, count: 16), nonce: nonce, additionalData: []))
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        let cipher = AES256GCM(
            key: try bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"))
        let message = try bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39")
        let additional = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = cipher.seal(message, nonce: try bytes("cafebabefacedbaddecaf888"), additionalData: additional)
        #expect(
            Hex.encode(sealed)
                == "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b")
        #expect(
            try cipher.open(sealed, nonce: try bytes("cafebabefacedbaddecaf888"), additionalData: additional)
                == message)
        #expect(throws: CryptoError.self) {
            try cipher.open(sealed, nonce: try bytes("cafebabefacedbaddecaf888"), additionalData: additional + [0])
        }
        #expect(throws: CryptoError.self) {
            try cipher.open(sealed, nonce: try bytes("cafebabefacedbaddecaf888"), additionalData: [])
        }
    }

    @Test("X25519: RFC 7748, section 5.2, one and a thousand rounds") func x25519() throws {
        var scalar: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for round in 1...1_000 {
            (scalar, point) = (try X25519PrivateKey(scalar).agree(with: point), scalar)
            if round == 1 {
                #expect(
                    Hex.encode(scalar) == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
            }
        }
        #expect(Hex.encode(scalar) == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
    }

    @Test func bothSidesAgreeAndBadPointsAreRefused() throws {
        let random = RandomSource.seeded(8)
        let (one, other) = (X25519PrivateKey(random: random), X25519PrivateKey(random: random))
        #expect(try one.agree(with: other.publicKey) == other.agree(with: one.publicKey))
        for point in [[], [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(throws: CryptoError.self) { try one.agree(with: point) }
        }
    }
}
