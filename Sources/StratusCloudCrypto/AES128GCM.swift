/// AES in Galois/Counter Mode with a key of 128 bits and a nonce of 96 (NIST SP 800-38D), without additional data.
///
/// Two messages under the same key and nonce give both away: a nonce is used once.
public struct AES128GCM: Sendable {
    /// Bytes of a key.
    public static let keyLength = 16
    /// Bytes of a nonce.
    public static let nonceLength = GCM.nonceLength
    /// Bytes by which a sealed message is longer: the tag behind it.
    public static let tagLength = GCM.tagLength

    private let gcm: GCM

    /// Takes a key of ``keyLength`` bytes.
    public init(key: [UInt8]) { gcm = GCM(.aes128, key: key) }

    /// The message, encrypted, with its tag behind it.
    public func seal(_ message: [UInt8], nonce: [UInt8]) -> [UInt8] {
        gcm.seal(message, nonce: nonce, additionalData: [])
    }

    /// The message that ``seal(_:nonce:)`` was given.
    /// - Throws: `notAuthentic` if a bit of the sealed message, the key or the nonce is another.
    public func open(_ sealed: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        try gcm.open(sealed, nonce: nonce, additionalData: [])
    }
}
