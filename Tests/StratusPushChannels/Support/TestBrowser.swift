import StratusCloudCrypto
import StratusCloudModel
import Testing

/// A browser that subscribed: it has the private halves.
struct TestBrowser {
    let key: P256PrivateKey
    let secret: [UInt8]

    init() throws {
        key = try P256PrivateKey.generate()
        secret = RandomSource.system.bytes(16)
    }

    func address(_ endpoint: String) throws -> WebPushAddress {
        WebPushAddress(endpoint: endpoint, publicKey: try key.publicKey.point(), authenticationSecret: secret)
    }

    /// What a message says, decrypted by the rules of RFC 8188 and RFC 8291.
    func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        try #require(body.count > 86)
        let salt = Array(body[..<16])
        #expect(Array(body[16..<21]) == [0, 0, 16, 0, 65])
        let sender = Array(body[21..<86])
        let shared = try key.sharedSecret(with: P256PublicKey(point: sender))
        let input = HKDFSHA256.derive(
            from: shared, salt: secret, info: Array("WebPush: info\0".utf8) + (try key.publicKey.point()) + sender,
            length: 32)
        let contentKey = HKDFSHA256.derive(
            from: input, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), length: 16)
        let nonce = HKDFSHA256.derive(
            from: input, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), length: 12)
        let padded = try AES128GCM(key: contentKey).open(Array(body[86...]), nonce: nonce)
        let end = try #require(padded.lastIndex { $0 != 0 })
        #expect(padded[end] == 2)
        return Array(padded[..<end])
    }
}
