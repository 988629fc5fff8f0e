import StratusCloudCrypto
import StratusCloudModel

/// The encryption of messages for browsers (RFC 8291), in one record of the coding `aes128gcm` (RFC 8188).
struct WebPushEncryption {
    /// Bytes by which a message grows: header, mark of the last record, tag.
    static let overhead = headerLength + 1 + AES128GCM.tagLength
    /// Bytes of the salt.
    static let saltLength = 16

    private static let headerLength = saltLength + 4 + 1 + P256PublicKey.pointLength
    private static let recordSize: [UInt8] = [0, 0, 0x10, 0]

    /// A key for this message only.
    let senderKey: P256PrivateKey
    /// Random bytes for this message only.
    let salt: [UInt8]

    /// With a key and a salt of its own.
    init() throws(CryptoError) {
        self.init(senderKey: try .generate(), salt: RandomSource.system.bytes(Self.saltLength))
    }

    /// With these; for known answers.
    init(senderKey: P256PrivateKey, salt: [UInt8]) {
        self.senderKey = senderKey
        self.salt = salt
    }

    /// The body of the request that takes a message to a browser.
    /// - Throws: `invalidPoint` if the browser's key is none.
    func encrypt(_ message: [UInt8], for browser: WebPushAddress) throws(CryptoError) -> [UInt8] {
        let receiverKey = try P256PublicKey(point: browser.publicKey)
        let sender = try senderKey.publicKey.point()
        let secret = HKDFSHA256.derive(
            from: try senderKey.sharedSecret(with: receiverKey), salt: browser.authenticationSecret,
            info: Array("WebPush: info\0".utf8) + browser.publicKey + sender, length: 32)
        let key = HKDFSHA256.derive(
            from: secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), length: AES128GCM.keyLength)
        let nonce = HKDFSHA256.derive(
            from: secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), length: AES128GCM.nonceLength)
        let header = salt + Self.recordSize + [UInt8(sender.count)] + sender
        // 2 says that no record follows.
        return header + AES128GCM(key: key).seal(message + [2], nonce: nonce)
    }
}
