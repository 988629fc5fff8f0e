import StratusCloudCrypto
import StratusCloudModel
import Testing

@Suite struct P256Tests {
    private static let message = Array("sample".utf8)

    /// RFC 6979, A.2.5: the key, and the signature of "sample" with SHA-256.
    private static let x = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
    private static let y = "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
    private static let r = "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
    private static let s = "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"

    private static func publicKeyPEM(x: String, y: String) throws -> String {
        let header = "3059301306072a8648ce3d020106082a8648ce3d030107034200"
        let bytes = try #require(Hex.decode(header + "04" + x + y))
        return "-----BEGIN PUBLIC KEY-----\n\(Base64.string(bytes))\n-----END PUBLIC KEY-----\n"
    }

    @Test func knownSignature() throws {
        let key = try P256PublicKey(pem: Self.publicKeyPEM(x: Self.x, y: Self.y))
        let der = try #require(Hex.decode("3046022100" + Self.r + "022100" + Self.s))
        #expect(key.verify(signature: der, of: Self.message))
        #expect(!key.verify(signature: der, of: Array("test".utf8)))
        let signature = try ECDSASignature(der: der)
        #expect(Hex.encode(signature.r).uppercased() == Self.r)
        #expect(Hex.encode(signature.s).uppercased() == Self.s)
    }

    @Test func signaturesAndKeysComeBack() throws {
        let key = try P256PrivateKey.generate()
        let restored = try P256PrivateKey(pem: key.pem())
        let publicKey = try P256PublicKey(pem: key.publicKey.pem())
        #expect(try restored.publicKey.pem() == publicKey.pem())
        #expect(try key.pem().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try publicKey.pem().hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        #expect(try !publicKey.pem().contains("PRIVATE"))
        for count in 0..<100 {
            let message = [UInt8](repeating: 7, count: count)
            let signature = try restored.sign(message)
            #expect(publicKey.verify(signature: signature, of: message))
            #expect(throws: Never.self) { try ECDSASignature(der: signature) }
        }
        #expect(try !P256PrivateKey.generate().publicKey.verify(signature: key.sign([1]), of: [1]))
    }

    @Test func everyChangedBitIsNoticed() throws {
        let key = try P256PrivateKey.generate()
        let signature = try key.sign(Self.message)
        for bit in 0..<signature.count * 8 {
            var tampered = signature
            tampered[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!key.publicKey.verify(signature: tampered, of: Self.message))
        }
        for length in 0..<signature.count {
            #expect(!key.publicKey.verify(signature: Array(signature.prefix(length)), of: Self.message))
        }
        #expect(!key.publicKey.verify(signature: signature + [0], of: Self.message))
    }

    @Test(arguments: [
        "", "30", "3000", "3006020101", "300602010102", "30060201010201", "3006020100020101", "3006020101020100",
        "3006020181020101", "300702020001020101", "3007020101020101", "300602010102010100", "308106020101020101",
        "3006040101020101", "3106020101020101", "300402000200", "30050201010200",
        "30260221000000000000000000000000000000000000000000000000000000000000000001020101",
        "3026022101FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF020101",
    ])
    func malformedSignaturesAreRefused(hex: String) throws {
        let der = try #require(Hex.decode(hex))
        let error = #expect(throws: CryptoError.self) { try ECDSASignature(der: der) }
        #expect(error?.code == .malformedSignature)
    }

    @Test func smallNumbersArePadded() throws {
        let signature = try ECDSASignature(der: [0x30, 6, 2, 1, 5, 2, 1, 6])
        #expect(signature.r == [UInt8](repeating: 0, count: 31) + [5])
        #expect(signature.s == [UInt8](repeating: 0, count: 31) + [6])
    }

    @Test func otherTextIsNoKey() throws {
        let pem = try P256PrivateKey.generate().publicKey.pem()
        let cases = ["", "no key", String(pem.dropLast(40)), String(repeating: " ", count: 9_000) + pem]
        for text in cases {
            let error = #expect(throws: CryptoError.self) { try P256PublicKey(pem: text) }
            #expect(error?.code == .invalidPEM)
        }
        #expect(throws: CryptoError.self) { try P256PrivateKey(pem: pem) }
        #expect(throws: CryptoError.self) { try P256PublicKey(pem: P256PrivateKey.generate().pem()) }
    }

    @Test func aPointBesideTheCurveIsRefused() throws {
        let pem = try Self.publicKeyPEM(x: Self.x, y: Self.x)
        #expect(throws: CryptoError.self) { try P256PublicKey(pem: pem) }
    }

    /// Keys made with `openssl genpkey` on P-384 and Ed25519.
    @Test(arguments: [
        """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEkhn5arFcodDr4fIJKc+PJeH1dpcWlQx3
        qgEKG72LnoAh7cW3hKTqKsD5PZnZiWocyN63whO+CZj5A3mwO6u3kfSiiqf5DNu7
        S1aidgEzic0/XXUgS+TgEsJwzvMSHLSP
        -----END PUBLIC KEY-----
        """,
        """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEA5/i+35gwbrc1X+29pqaCzloz1RCKFIkUrmOwWrhk+Xo=
        -----END PUBLIC KEY-----
        """,
    ])
    func otherCurvesAreRefused(pem: String) throws {
        let error = #expect(throws: CryptoError.self) { try P256PublicKey(pem: pem) }
        #expect(error?.code == .wrongKeyType)
    }

    @Test func anEncryptedKeyIsRefusedWithoutAsking() throws {
        let pem = """
            -----BEGIN ENCRYPTED PRIVATE KEY-----
            MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjuMUmrtc+8KgICCAAw
            DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKIDjyiM9PnwQAlBqMuzQOQEgZAl
            0xuG/fej5lmV5KPOrr6ovnZ3Ji0NTVk7hKtHP038Uxp/VuPW4nJV3k497gY9oaht
            RfI/XkkhoMXnAgVOfLfqw/zTnsr8B5655X5GkoXA1mhVWeiJiIE4pLFQlLwgIwvV
            rGuAqdqfwq03V5tnIOmSzKHe1x76nwdE2yXL9hKfyGKPf9wYweXGKdl4g5Vu0RY=
            -----END ENCRYPTED PRIVATE KEY-----
            """
        let error = #expect(throws: CryptoError.self) { try P256PrivateKey(pem: pem) }
        #expect(error?.code == .invalidPEM)
    }
}
