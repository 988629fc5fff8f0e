import StratusCloudAssets
import StratusCloudCrypto
import StratusCloudStore

/// The digests of the assets of all databases by the names of their files. It keeps the first 64 bits of each, 16 bytes
/// for an asset, so that a backup of very many assets needs little memory.
public struct AssetDigests: Sendable {
    fileprivate struct Entry {
        let file: UInt64
        let digest: UInt64
    }

    /// In ascending order of the files.
    fileprivate var entries: [Entry] = []

    /// Whether a file has the bytes that were stored; nil for a file that no asset has.
    /// - Parameter path: ends with the file's name.
    public func matches(path: String, sha256: [UInt8]) -> Bool? {
        guard let name = path.split(separator: "/").last, let bytes = Hex.decode(String(name)) else { return nil }
        let file = Self.number(bytes)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].file < file { low = middle + 1 } else { high = middle }
        }
        let found = entries[low...].prefix { $0.file == file }
        guard !found.isEmpty else { return nil }
        return found.contains { $0.digest == Self.number(sha256) }
    }

    fileprivate mutating func add(_ blob: StoredBlob) {
        entries.append(Entry(file: Self.number(blob.file.bytes), digest: Self.number(blob.sha256)))
    }

    fileprivate mutating func sort() { entries.sort { $0.file < $1.file } }

    private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension CloudService {
    /// The digests of the assets of all databases.
    public func assetDigests() async throws -> AssetDigests {
        var digests = AssetDigests()
        for database in try await store.partitions() where database.databaseContext != nil {
            let found = try await store.read(database) { transaction in
                var found = AssetDigests()
                try transaction.forEach(in: Keyspace.assetBlobs, limit: .max, reverse: false) { _, value in
                    found.add(try StoredBlob(stored: Array(value)))
                    return true
                }
                return found
            }
            digests.entries += found.entries
        }
        digests.sort()
        return digests
    }
}
