import StratusCloudAssets
import StratusCloudModel
import StratusCloudStore

/// What the collection of unused bytes looks at when its time has come.
enum AssetDue: Hashable, Sendable {
    // The raw values are stored; never renumber them.
    enum Kind: UInt8, CaseIterable {
        case file = 1
        case blob = 2
        case upload = 3
    }

    /// A file that nothing names any more. Its time is 0.
    case file(AssetFileID)
    /// Bytes that no record and no upload has. Its time is since when.
    case blob(AssetID)
    /// An upload that was not saved. Its time is when it expires.
    case upload(account: String, AssetUploadID)

    var kind: Kind {
        switch self {
        case .file: .file
        case .blob: .blob
        case .upload: .upload
        }
    }
}

extension Keyspace {
    static func assetUse(zone: ZoneNumber, recordName: String, _ asset: AssetID) -> Key {
        var encoder = prefix(.assetUse, zone: zone)
        encoder.append(string: recordName)
        encoder.append(rest: asset.bytes)
        return encoder.key
    }

    static var assetUses: KeyRange { KeyRange(prefix: Key([Tag.assetUse.rawValue])) }
    static func assetUses(of zone: ZoneNumber) -> KeyRange { KeyRange(prefix: prefix(.assetUse, zone: zone).key) }

    /// The asset at the end of an ``assetUse(zone:recordName:_:)``.
    static func usedAsset(_ key: Key) -> AssetID? { AssetID(bytes: key.bytes.suffix(AssetID.length)) }

    static func assetBlob(_ asset: AssetID) -> Key { Key([Tag.assetBlob.rawValue] + asset.bytes) }
    static var assetBlobs: KeyRange { KeyRange(prefix: Key([Tag.assetBlob.rawValue])) }

    static func assetUpload(account: String, _ upload: AssetUploadID) -> Key {
        Key(assetUploadPrefix(account).bytes + upload.bytes)
    }

    static var assetUploads: KeyRange { KeyRange(prefix: Key([Tag.assetUpload.rawValue])) }
    static func assetUploads(of account: String) -> KeyRange { KeyRange(prefix: assetUploadPrefix(account)) }

    /// The key of the sum of an account's uploads.
    static func pendingUploads(of account: String) -> Key { accountPrefix(.pendingUploads, account) }

    private static func assetUploadPrefix(_ account: String) -> Key { accountPrefix(.assetUpload, account) }

    private static func accountPrefix(_ tag: Tag, _ account: String) -> Key {
        var encoder = TupleEncoder()
        encoder.append(byte: tag.rawValue)
        encoder.append(string: account)
        return encoder.key
    }

    /// Times before 1970 do not occur.
    static func assetDue(_ time: Int64, _ due: AssetDue) -> Key {
        var encoder = assetDuePrefix(due.kind)
        encoder.append(signed: time)
        switch due {
        case .file(let file): encoder.append(rest: file.bytes)
        case .blob(let asset): encoder.append(rest: asset.bytes)
        case .upload(let account, let upload):
            encoder.append(string: account)
            encoder.append(rest: upload.bytes)
        }
        return encoder.key
    }

    /// What is due up to a time, that time included.
    static func assetsDue(_ kind: AssetDue.Kind, at time: Int64) -> KeyRange {
        var encoder = assetDuePrefix(kind)
        let start = encoder.key
        encoder.append(signed: time)
        return KeyRange(lower: start, upper: encoder.key.afterAllWithThisPrefix)
    }

    /// Reads an ``assetDue(_:_:)``.
    static func due(_ key: Key) -> (time: Int64, due: AssetDue)? {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let kind = decoder.byte().flatMap(AssetDue.Kind.init), let time = decoder.signed() else { return nil }
        switch kind {
        case .file: return AssetFileID(Array(decoder.rest())).map { (time, .file($0)) }
        case .blob: return AssetID(bytes: decoder.rest()).map { (time, .blob($0)) }
        case .upload:
            guard let account = decoder.string(), let upload = AssetUploadID(bytes: decoder.rest()) else { return nil }
            return (time, .upload(account: account, upload))
        }
    }

    private static func assetDuePrefix(_ kind: AssetDue.Kind) -> TupleEncoder {
        var encoder = TupleEncoder()
        encoder.append(byte: Tag.assetDue.rawValue)
        encoder.append(byte: kind.rawValue)
        return encoder
    }
}
