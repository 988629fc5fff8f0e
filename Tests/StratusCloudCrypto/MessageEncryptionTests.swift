import StratusCloudCrypto
import StratusCloudModel
import Testing

@Suite struct MessageEncryptionTests {
    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    @Test("HKDF: RFC 5869, cases 1 and 3")
    func hkdf() throws {
        let secret = [UInt8](repeating: 0x0B, count: 22)
        let first = HKDFSHA256.derive(
            from: secret, salt: Array(0...0x0C), info: Array(0xF0...0xF9), length: 42)
        #expect(
            Hex.encode(first)
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let third = HKDFSHA256.derive(from: secret, salt: [], info: [], length: 42)
        #expect(
            Hex.encode(third)
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
        #expect(HKDFSHA256.derive(from: secret, salt: [], info: [], length: HKDFSHA256.longestOutput).count == 8_160)
        #expect(HKDFSHA256.derive(from: secret, salt: [], info: [], length: 0).isEmpty)
    }

    @Test("AES-GCM: the first two cases of its specification")
    func gcm() throws {
        let cipher = AES128GCM(key: [UInt8](repeating: 0, count: 16))
        let nonce = [UInt8](repeating: 0, count: 12)
        #expect(Hex.encode(cipher.seal([], nonce: nonce)) == "58e2fccefa7e3061367f1d57a4e7455a")
        #expect(
            Hex.encode(cipher.seal([UInt8](repeating: 0, count: 16), nonce: nonce))
                == "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")
    }

    @Test("HKDF and AES-GCM together: RFC 8188, section 3.1")
    func contentEncoding() throws {
        func decode(_ text: String) throws -> [UInt8] {
            try #require(Base64.decode(text.replacing("-", with: "+").replacing("_", with: "/")))
        }
        let body = try decode("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
        let secret = try decode("yqdlZ-tYemfogSmv7Ws5PQ")
        let salt = Array(body[..<16])
        let key = HKDFSHA256.derive(
            from: secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), length: 16)
        let nonce = HKDFSHA256.derive(
            from: secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), length: 12)
        let message = try AES128GCM(key: key).open(Array(body[21...]), nonce: nonce)
        #expect(message == Array("I am the walrus".utf8) + [2])
        #expect(AES128GCM(key: key).seal(message, nonce: nonce) == Array(body[21...]))
    }

    @Test func everyChangedBitIsNoticed() throws {
        let cipher = AES128GCM(key: RandomSource.seeded(3).bytes(16))
        let nonce = [UInt8](repeating: 9, count: 12)
        let message = Array("a message of more than one block".utf8)
        let sealed = cipher.seal(message, nonce: nonce)
        #expect(try cipher.open(sealed, nonce: nonce) == message)
        #expect(try cipher.open(cipher.seal([], nonce: nonce), nonce: nonce) == [])
        for bit in 0..<sealed.count * 8 {
            var tampered = sealed
            tampered[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = #expect(throws: CryptoError.self) { try cipher.open(tampered, nonce: nonce) }
            #expect(error?.code == .notAuthentic)
        }
        for length in 0..<sealed.count {
            #expect(throws: CryptoError.self) { try cipher.open(Array(sealed.prefix(length)), nonce: nonce) }
        }
    }

    @Test func twoKeysShareASecret() throws {
        let (one, other) = (try P256PrivateKey.generate(), try P256PrivateKey.generate())
        let secret = try one.sharedSecret(with: P256PublicKey(point: other.publicKey.point()))
        #expect(try other.sharedSecret(with: one.publicKey) == secret)
        #expect(secret.count == 32)
        #expect(try P256PublicKey(point: one.publicKey.point()).pem() == one.publicKey.pem())
    }

    @Test func otherBytesAreNoPoint() throws {
        let point = try P256PrivateKey.generate().publicKey.point()
        var beside = point
        beside[64] ^= 1
        let cases: [[UInt8]] = [
            [], [0], Array(point.dropLast()), point + [0], [2] + Array(point[1..<33]), [6] + Array(point.dropFirst()),
            beside,
        ]
        for bytes in cases {
            let error = #expect(throws: CryptoError.self) { try P256PublicKey(point: bytes) }
            #expect(error?.code == .invalidPoint)
        }
    }
}
