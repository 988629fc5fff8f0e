import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

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
    /// What the database had room for; nil without a quota.
    let room: AssetRoom?

    init(
        partition: Partition, account: String, upload: AssetUploadID, binding: AssetBinding, expires: Int64,
        room: AssetRoom? = nil
    ) {
        self.partition = partition
        self.account = account
        self.upload = upload
        self.binding = binding
        self.expires = expires
        self.room = room
    }

    /// Reads what ``text(_:)`` made; nil for anything else.
    init?(_ text: String, _ seals: Seals) {
        guard let sealed = TicketText.decode(text), let payload = seals.open(sealed, for: .assetUpload, boundTo: []),
            let ticket = try? ByteReader.read(payload, Self.init(from:))
        else { return nil }
        self = ticket
    }

    private init(from reader: inout ByteReader) throws {
        let partition = Partition(try reader.string())
        let account = try reader.string()
        guard let upload = AssetUploadID(bytes: try reader.slice()) else { throw ByteReader.Malformed() }
        self.init(
            partition: partition, account: account, upload: upload, binding: try AssetBinding(from: &reader),
            expires: try reader.signed(), room: try reader.optional { try AssetRoom(from: &$0) })
    }

    func text(_ seals: Seals) -> String {
        var writer = ByteWriter()
        writer.write(partition.name)
        writer.write(account)
        writer.write(bytes: upload.bytes)
        binding.write(to: &writer)
        writer.write(signed: expires)
        writer.write(optional: room) { $1.write(to: &$0) }
        return TicketText.encode(seals.seal(writer.bytes, for: .assetUpload, boundTo: []))
    }

    var uploadKey: Key { Keyspace.assetUpload(account: account, upload) }
}
