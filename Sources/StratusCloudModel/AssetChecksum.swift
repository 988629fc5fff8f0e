/// The checksum by which clients and servers name the bytes of an asset, as Apple's does: a version byte and the first 160
/// bits of their SHA-256, in base64.
public enum AssetChecksum {
    /// Bytes of the digest that the checksum contains.
    public static let length = 20
    /// The byte before the digest.
    public static let version: UInt8 = 1

    /// The checksum of bytes with this SHA-256.
    public static func string(sha256 digest: [UInt8]) -> String { Base64.string([version] + digest.prefix(length)) }
}
