/// AES in Galois/Counter Mode with a key of 256 bits and a nonce of 96 (NIST SP 800-38D), with additional data: what is
/// not encrypted but must be the same when the message is opened.
///
/// Two messages under the same key and nonce give both away. With random nonces no key may seal more than 2³² messages.
public struct AES256GCM: Sendable {
    /// Bytes of a key.
    public static let keyLength = 32
    /// Bytes of a nonce.
    public static let nonceLength = GCM.nonceLength
    /// Bytes by which a sealed message is longer: the tag behind it.
    public static let tagLength = GCM.tagLength

    private let gcm: GCM

    /// Takes a key of ``keyLength`` bytes.
    public init(key: [UInt8]) { gcm = GCM(.aes256, key: key) }

    /// The message, encrypted, with its tag behind it.
    public func seal(_ message: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        gcm.seal(message, nonce: nonce, additionalData: additionalData)
    }

    /// The message that ``seal(_:nonce:additionalData:)`` was given.
    /// - Throws: `notAuthentic` if a bit of the sealed message, the key, the nonce or the additional data is another.
    public func open(
        _ sealed: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try gcm.open(sealed, nonce: nonce, additionalData: additionalData)
    }
}
