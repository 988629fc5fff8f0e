import StratusCloudModel
import StratusCloudStore

/// Proves a finished upload to the save that uses it up. Bound to the database, the account and the place that the
/// upload was asked for.
struct AssetReceipt: Hashable, Sendable {
    let upload: AssetUploadID
    let asset: AssetID
    let size: Int64
    let form: AssetBinding.Form

    private let sealed: [UInt8]

    /// Reads a receipt without believing it.
    init?(_ text: String) {
        guard text.utf8.count <= AssetLimits.ticketLength, let sealed = Base64.decode(text),
            let receipt = try? ByteReader.read(sealed, { try Self(from: &$0, sealed: sealed) })
        else { return nil }
        self = receipt
    }

    private init(from reader: inout ByteReader, sealed: [UInt8]) throws {
        try reader.skip(Seals.length)
        guard let form = AssetBinding.Form(rawValue: try reader.byte()),
            let upload = AssetUploadID(bytes: try reader.slice()), let asset = AssetID(bytes: try reader.slice())
        else { throw ByteReader.Malformed() }
        self.upload = upload
        self.asset = asset
        size = try reader.signed()
        self.form = form
        self.sealed = sealed
    }

    /// Whether it was made for this account and place.
    func isGenuine(in partition: Partition, account: String, _ binding: AssetBinding, _ seals: Seals) -> Bool {
        let bound = Self.bound(partition, account, binding)
        return seals.open(sealed, for: .assetReceipt, boundTo: bound) != nil
    }

    /// A new receipt.
    static func text(
        of upload: AssetUploadID, _ asset: AssetID, size: Int64, in partition: Partition, account: String,
        _ binding: AssetBinding, _ seals: Seals
    ) -> String {
        var writer = ByteWriter(capacity: 64)
        writer.write(byte: binding.form.rawValue)
        writer.write(bytes: upload.bytes)
        writer.write(bytes: asset.bytes)
        writer.write(signed: size)
        let bound = bound(partition, account, binding)
        return Base64.string(seals.seal(writer.bytes, for: .assetReceipt, boundTo: bound))
    }

    private static func bound(_ partition: Partition, _ account: String, _ binding: AssetBinding) -> [UInt8] {
        var writer = ByteWriter(capacity: 160)
        writer.write(partition.name)
        writer.write(account)
        binding.write(to: &writer)
        return writer.bytes
    }
}
