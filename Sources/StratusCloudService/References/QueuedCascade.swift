import StratusCloudStore

/// How far a cascade is that a later transaction goes on with, as it is stored under its target.
struct QueuedCascade: Hashable, Sendable {
    /// The zone's version when the target was deleted: what referred to a later record of the same name stays.
    let version: UInt64
    /// The last holder that was looked at, in the order of their names; nil at the beginning.
    var after: String?

    init(version: UInt64, after: String? = nil) {
        self.version = version
        self.after = after
    }

    init(stored bytes: [UInt8]) throws {
        (version, after) = try ByteReader.read(bytes) { reader in
            (try reader.unsigned(), reader.isAtEnd ? nil : try reader.string())
        }
    }

    var stored: [UInt8] {
        var writer = ByteWriter(capacity: 10)
        writer.write(unsigned: version)
        if let after { writer.write(after) }
        return writer.bytes
    }
}
