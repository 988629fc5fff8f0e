/// What went wrong in this room. Compare `code`; `message` is for people and never holds a secret.
public struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        enum Name: String {
            case invalidPEM, invalidPoint, wrongKeyType, malformedSignature, notAuthentic, busy, passwordTooLong,
                invalidHash, failed
        }
        let name: Name

        /// The text is no PEM of the expected kind, or is longer than `CryptoLimits.pemLength`.
        public static let invalidPEM = Self(name: .invalidPEM)
        /// The bytes are no uncompressed point on the curve P-256, or no usable public key on Curve25519.
        public static let invalidPoint = Self(name: .invalidPoint)
        /// A valid key, but not one on the curve P-256.
        public static let wrongKeyType = Self(name: .wrongKeyType)
        /// The bytes are no DER encoding of an ECDSA signature.
        public static let malformedSignature = Self(name: .malformedSignature)
        /// The bytes were not encrypted with this key and nonce, or were changed since.
        public static let notAuthentic = Self(name: .notAuthentic)
        /// So many passwords are waiting that one more is refused. Try again later.
        public static let busy = Self(name: .busy)
        /// The password has more than `CryptoLimits.passwordLength` bytes of UTF-8.
        public static let passwordTooLong = Self(name: .passwordTooLong)
        /// The stored password hash is not an argon2id string.
        public static let invalidHash = Self(name: .invalidHash)
        /// The library refused, as a rule for want of memory.
        public static let failed = Self(name: .failed)

        /// The name, as in `Code.busy`.
        public var description: String { name.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence for the log.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
