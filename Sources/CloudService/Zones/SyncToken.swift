import CloudModel
import CloudStore

/// A state of a zone: which zone (a re-created one has another number) and how many changes of it.
struct SyncToken: Hashable, Sendable {
    var zone: ZoneNumber
    var version: UInt64

    init(_ header: ZoneHeader) {
        zone = header.number
        version = header.version
    }

    /// Opaque text, sealed for its database.
    func text(in partition: Partition, _ seals: Seals) -> String {
        var writer = ByteWriter(capacity: 24)
        writer.write(unsigned: zone.rawValue)
        writer.write(unsigned: version)
        return Base64.string(seals.seal(writer.bytes, for: .syncToken, boundTo: Array(partition.name.utf8)))
    }
}
