import COpenSSL

/// AES in Galois/Counter Mode with a key of 128 bits and a nonce of 96 (NIST SP 800-38D), without additional data.
///
/// Two messages under the same key and nonce give both away: a nonce is used once.
public struct AES128GCM: Sendable {
    /// Bytes of a key.
    public static let keyLength = 16
    /// Bytes of a nonce.
    public static let nonceLength = 12
    /// Bytes by which a sealed message is longer: the tag behind it.
    public static let tagLength = 16

    private let key: [UInt8]

    /// Takes a key of ``keyLength`` bytes.
    public init(key: [UInt8]) {
        precondition(key.count == Self.keyLength, "the key must have 16 bytes")
        self.key = key
    }

    /// The message, encrypted, with its tag behind it.
    public func seal(_ message: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let context = Self.context(nonce)
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: message.count + Self.tagLength)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var count: Int32 = 0
        require(EVP_EncryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, nil), "EVP_EncryptInit_ex2")
        require(
            EVP_EncryptUpdate(context, &sealed, &count, message, Int32(message.count)), "EVP_EncryptUpdate")
        require(EVP_EncryptFinal_ex(context, &tag, &count), "EVP_EncryptFinal_ex")
        require(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag), "EVP_CTRL_AEAD_GET_TAG")
        sealed.replaceSubrange(message.count..., with: tag)
        return sealed
    }

    /// The message that ``seal(_:nonce:)`` was given.
    /// - Throws: `notAuthentic` if a bit of the sealed message, the key or the nonce is another.
    public func open(_ sealed: [UInt8], nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        let refusal = CryptoError(.notAuthentic, "the message was changed, or sealed with another key")
        guard sealed.count >= Self.tagLength else { throw refusal }
        let context = Self.context(nonce)
        defer { EVP_CIPHER_CTX_free(context) }
        let length = sealed.count - Self.tagLength
        var tag = Array(sealed.suffix(Self.tagLength))
        // The library's update may touch one block more than it fills.
        var message = [UInt8](repeating: 0, count: length + Self.tagLength)
        var count: Int32 = 0
        require(EVP_DecryptInit_ex2(context, EVP_aes_128_gcm(), key, nonce, nil), "EVP_DecryptInit_ex2")
        require(EVP_DecryptUpdate(context, &message, &count, sealed, Int32(length)), "EVP_DecryptUpdate")
        require(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag), "EVP_CTRL_AEAD_SET_TAG")
        var rest = [UInt8](repeating: 0, count: Self.tagLength)
        guard EVP_DecryptFinal_ex(context, &rest, &count) == 1 else {
            ERR_clear_error()
            throw refusal
        }
        return Array(message.prefix(length))
    }

    private static func context(_ nonce: [UInt8]) -> OpaquePointer {
        precondition(nonce.count == nonceLength, "the nonce must have 12 bytes")
        return require(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
    }
}
