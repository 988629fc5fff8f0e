import CloudCrypto
import CloudModel
import CloudStore

/// An upload that an address stands for: whose it is, which database it is for, and what it may be saved in. The
/// address proves itself; nothing is stored before the first byte comes.
public struct AssetUploadTicket: Sendable {
    let partition: Partition
    /// Who asked for it: the user record name that will be the author.
    let account: String
    let upload: AssetUploadID
    let binding: AssetBinding
    /// When an upload can no longer be begun, in milliseconds since 1970-01-01 UTC.
    let expires: Int64

    init(partition: Partition, account: String, upload: AssetUploadID, binding: AssetBinding, expires: Int64) {
        self.partition = partition
        self.account = account
        self.upload = upload
        self.binding = binding
        self.expires = expires
    }

    /// Reads what ``text(_:)`` made; nil for anything else.
    init?(_ text: String, _ seals: Seals) {
        guard let sealed = TicketText.decode(text), let payload = seals.open(sealed, for: .assetUpload, boundTo: [])
        else { return nil }
        var reader = ByteReader(payload)
        guard let partition = try? reader.string(), let account = try? reader.string(),
            let upload = try? reader.slice(),
            let id = AssetUploadID(bytes: upload), let binding = try? AssetBinding(from: &reader),
            let expires = try? reader.signed()
        else { return nil }
        self.init(
            partition: Partition(partition), account: account, upload: id, binding: binding, expires: expires)
    }

    func text(_ seals: Seals) -> String {
        var writer = ByteWriter()
        writer.write(partition.name)
        writer.write(account)
        writer.write(bytes: upload.bytes)
        binding.write(to: &writer)
        writer.write(signed: expires)
        return TicketText.encode(seals.seal(writer.bytes, for: .assetUpload, boundTo: []))
    }

    var uploadKey: Key { Keyspace.assetUpload(account: account, upload) }
}
