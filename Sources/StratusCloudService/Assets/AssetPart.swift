import StratusCloudModel

/// What a request that brings bytes says about them.
public struct AssetPart: Hashable, Sendable {
    /// Where its first byte belongs; 0 begins, or begins again.
    public var offset: Int64
    /// Bytes of the request; nil if it does not say.
    public var length: Int64?
    /// Bytes of the whole asset; nil for a part that is not the last, or a body of unknown length.
    public var total: Int64?
    /// Bytes that the whole asset has at most, where `total` is not known; nil if nothing is.
    public var bound: Int64?
    /// Whether the asset is complete with it.
    public var isLast: Bool

    /// The whole asset in one request.
    public static func whole(length: Int64?) -> AssetPart {
        AssetPart(offset: 0, length: length, total: length, isLast: true)
    }

    /// The whole asset in one request, whose body holds more than the asset.
    /// - Parameter bound: bytes of the body; nil if the request does not say.
    public static func whole(upTo bound: Int64?) -> AssetPart {
        AssetPart(offset: 0, bound: bound, isLast: true)
    }

    /// Bytes from `offset` on, of an asset whose size may not be known yet.
    public static func range(from offset: Int64, length: Int64, total: Int64?) -> AssetPart {
        AssetPart(offset: offset, length: length, total: total, isLast: total == offset + length)
    }
}

/// How far an upload is.
public enum AssetUploadState: Hashable, Sendable {
    /// So many bytes are kept, and are not to be sent again.
    case partial(offset: Int64)
    /// The asset, with the receipt to save it.
    case complete(Asset)
}
