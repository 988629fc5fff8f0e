import StratusCSodium

/// One side of an agreement on Curve25519 (RFC 7748): two sides that know each other's public keys share a secret that
/// nobody who saw both public keys knows.
///
/// Says nothing of who the other side is.
public struct X25519PrivateKey: Sendable {
    /// Bytes of private and public keys, and of what is agreed upon.
    public static let length = 32

    private let scalar: [UInt8]
    /// The public key, ``length`` bytes.
    public let publicKey: [UInt8]

    /// Takes ``length`` random bytes.
    public init(_ scalar: [UInt8]) {
        precondition(scalar.count == Self.length, "a private key has 32 bytes")
        Sodium.ready()
        self.scalar = scalar
        var point = [UInt8](repeating: 0, count: Self.length)
        _ = crypto_scalarmult_curve25519_base(&point, scalar)
        publicKey = point
    }

    /// A new key.
    public init(random: RandomSource) { self.init(random.bytes(Self.length)) }

    /// The secret shared with another side. Not evenly random: derive keys from it.
    /// - Throws: `invalidPoint` for a public key of another length, or one with which everybody would share the same.
    public func agree(with publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard publicKey.count == Self.length else { throw CryptoError(.invalidPoint, "a public key has 32 bytes") }
        var secret = [UInt8](repeating: 0, count: Self.length)
        guard crypto_scalarmult_curve25519(&secret, scalar, publicKey) == 0 else {
            throw CryptoError(.invalidPoint, "a public key of small order")
        }
        return secret
    }
}
