import StratusCOpenSSL

/// Galois/Counter Mode with nonces of 96 bits and tags of 128 (NIST SP 800-38D), for any length of key.
struct GCM: Sendable {
    static let nonceLength = 12
    static let tagLength = 16

    enum Cipher: Sendable {
        case aes128, aes256

        var keyLength: Int {
            switch self {
            case .aes128: 16
            case .aes256: 32
            }
        }

        fileprivate var algorithm: OpaquePointer? {
            switch self {
            case .aes128: EVP_aes_128_gcm()
            case .aes256: EVP_aes_256_gcm()
            }
        }
    }

    private let cipher: Cipher
    private let key: [UInt8]

    init(_ cipher: Cipher, key: [UInt8]) {
        precondition(key.count == cipher.keyLength, "the key must have \(cipher.keyLength) bytes")
        self.cipher = cipher
        self.key = key
    }

    func seal(_ message: [UInt8], nonce: [UInt8], additionalData: [UInt8]) -> [UInt8] {
        let context = Self.context(nonce)
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: message.count + Self.tagLength)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var count: Int32 = 0
        require(EVP_EncryptInit_ex2(context, cipher.algorithm, key, nonce, nil), "EVP_EncryptInit_ex2")
        authenticate(additionalData) {
            require(EVP_EncryptUpdate(context, nil, &count, $0, $1), "EVP_EncryptUpdate")
        }
        require(
            EVP_EncryptUpdate(context, &sealed, &count, message, Int32(message.count)), "EVP_EncryptUpdate")
        require(EVP_EncryptFinal_ex(context, &tag, &count), "EVP_EncryptFinal_ex")
        require(
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag), "EVP_CTRL_AEAD_GET_TAG")
        sealed.replaceSubrange(message.count..., with: tag)
        return sealed
    }

    func open(
        _ sealed: [UInt8], nonce: [UInt8], additionalData: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let refusal = CryptoError(.notAuthentic, "the message was changed, or sealed with another key")
        guard sealed.count >= Self.tagLength else { throw refusal }
        let context = Self.context(nonce)
        defer { EVP_CIPHER_CTX_free(context) }
        let length = sealed.count - Self.tagLength
        var tag = Array(sealed.suffix(Self.tagLength))
        // The library's update may touch one block more than it fills.
        var message = [UInt8](repeating: 0, count: length + Self.tagLength)
        var count: Int32 = 0
        require(EVP_DecryptInit_ex2(context, cipher.algorithm, key, nonce, nil), "EVP_DecryptInit_ex2")
        authenticate(additionalData) {
            require(EVP_DecryptUpdate(context, nil, &count, $0, $1), "EVP_DecryptUpdate")
        }
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

    /// Without additional data the library must not be called: it would take an empty buffer for the message.
    private func authenticate(_ data: [UInt8], _ update: (UnsafePointer<UInt8>, Int32) -> Void) {
        guard !data.isEmpty else { return }
        data.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress { update(start, Int32(buffer.count)) }
        }
    }

    private static func context(_ nonce: [UInt8]) -> OpaquePointer {
        precondition(nonce.count == nonceLength, "the nonce must have 12 bytes")
        return require(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
    }
}
