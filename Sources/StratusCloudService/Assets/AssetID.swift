import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Names bytes by what they are: the first 160 bits of their SHA-256.
public struct AssetID: Hashable, Sendable {
    static let length = AssetChecksum.length

    /// The bits.
    public let bytes: [UInt8]

    /// The name of bytes with this digest.
    public init(sha256: [UInt8]) { bytes = Array(sha256.prefix(Self.length)) }

    /// Nil unless it can be one.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the `fileChecksum` of an asset.
    public init?(fileChecksum: String) {
        guard fileChecksum.utf8.count <= 32, let bytes = Base64.decode(fileChecksum),
            bytes.first == AssetChecksum.version
        else {
            return nil
        }
        self.init(bytes: bytes.dropFirst())
    }

    /// As clients see it: a version byte and the digest in base64.
    public var fileChecksum: String { AssetChecksum.string(sha256: bytes) }
}

/// Names one upload: 128 random bits.
struct AssetUploadID: Hashable, Sendable {
    static let length = 16

    let bytes: [UInt8]

    init(_ random: RandomSource) { bytes = random.bytes(Self.length) }

    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = Array(bytes)
    }
}
