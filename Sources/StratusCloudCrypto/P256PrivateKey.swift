import StratusCOpenSSL

/// A private key on the curve P-256, which makes ECDSA signatures over SHA-256.
public struct P256PrivateKey: Sendable {
    private let handle: KeyHandle

    /// A new random key.
    public static func generate() throws(CryptoError) -> P256PrivateKey {
        P256PrivateKey(handle: try KeyHandle.generate())
    }

    /// Reads an unencrypted key in PEM, PKCS #8 or SEC 1 (`-----BEGIN EC PRIVATE KEY-----`).
    ///
    /// Throws `invalidPEM`, or `wrongKeyType` for a key on another curve or of another algorithm.
    public init(pem: String) throws(CryptoError) {
        handle = try KeyHandle(pem: pem, kind: .privateKey)
    }

    private init(handle: KeyHandle) { self.handle = handle }

    /// The public half.
    public var publicKey: P256PublicKey { P256PublicKey(handle) }

    /// The key as unencrypted PKCS #8 in PEM. Keep it secret.
    public func pem() throws(CryptoError) -> String { try handle.pem(.privateKey) }

    /// The secret that only the owners of the two private keys can compute (ECDH): 32 bytes, to be put through a
    /// key derivation such as ``HKDFSHA256``.
    public func sharedSecret(with other: P256PublicKey) throws(CryptoError) -> [UInt8] {
        let context = EVP_PKEY_CTX_new(handle.key, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var secret = [UInt8](repeating: 0, count: Self.secretLength)
        var length = secret.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, other.handle.key) == 1,
            EVP_PKEY_derive(context, &secret, &length) == 1, length == secret.count
        else {
            ERR_clear_error()
            throw CryptoError(.failed, "the keys have no shared secret")
        }
        return secret
    }

    /// Bytes of a shared secret.
    private static let secretLength = 32

    /// This key's signature of `message`, DER.
    public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw CryptoError(.failed, "no memory to sign") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: CryptoLimits.signatureLength)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, Algorithms.sha256, nil, handle.key) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else {
            ERR_clear_error()
            throw CryptoError(.failed, "the key cannot sign")
        }
        return Array(signature.prefix(length))
    }
}
