import COpenSSL

/// A public key on the curve P-256, which verifies ECDSA signatures over SHA-256.
public struct P256PublicKey: Sendable {
    private let handle: KeyHandle

    init(_ handle: KeyHandle) { self.handle = handle }

    /// Reads a SubjectPublicKeyInfo in PEM (`-----BEGIN PUBLIC KEY-----`).
    ///
    /// Throws `invalidPEM`, or `wrongKeyType` for a key on another curve or of another algorithm.
    public init(pem: String) throws(CryptoError) { handle = try KeyHandle(pem: pem, kind: .publicKey) }

    /// The key as SubjectPublicKeyInfo in PEM.
    public func pem() throws(CryptoError) -> String { try handle.pem(.publicKey) }

    /// Whether `signature` (DER) is this key's signature of `message`. False for malformed DER, too.
    public func verify(signature: [UInt8], of message: [UInt8]) -> Bool {
        guard ECDSASignature.isWellFormed(signature) else { return false }
        // A refused signature may leave entries in this thread's error queue.
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, Algorithms.sha256, nil, handle.key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
