import StratusCOpenSSL

/// A public key on the curve P-256, which verifies ECDSA signatures over SHA-256.
public struct P256PublicKey: Sendable {
    let handle: KeyHandle

    init(_ handle: KeyHandle) { self.handle = handle }

    /// Reads a SubjectPublicKeyInfo in PEM (`-----BEGIN PUBLIC KEY-----`).
    ///
    /// Throws `invalidPEM`, or `wrongKeyType` for a key on another curve or of another algorithm.
    public init(pem: String) throws(CryptoError) { handle = try KeyHandle(pem: pem, kind: .publicKey) }

    /// Bytes of an uncompressed point.
    public static let pointLength = 65

    /// Reads an uncompressed point: 4, then x and y of 32 bytes each.
    ///
    /// Throws `invalidPoint` for anything else, also for a point beside the curve.
    public init(point: [UInt8]) throws(CryptoError) { handle = try KeyHandle(point: point) }

    /// The key as an uncompressed point of ``pointLength`` bytes.
    public func point() throws(CryptoError) -> [UInt8] { try handle.point() }

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
