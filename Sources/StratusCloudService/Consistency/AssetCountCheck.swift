import StratusCloudModel
import StratusCloudStore

/// How often bytes are used, and how often they are counted.
///
/// Uses lie in the order of records, counts in that of the bytes' names, and all uses of one name have to be known before
/// its count can be judged. So that what is in memory does not grow with the assets, names are judged range by range, and
/// for each range all uses are read.
struct AssetCountCheck: Sendable {
    let place: ConsistencyPlace
    /// Names that are in memory at a time; twice as many where uses come in no order.
    let limit: Int

    /// What was found in one range of names, in one snapshot.
    struct Range: Sendable {
        /// Bytes that are kept.
        var blobs: [(asset: AssetID, blob: StoredBlob)] = []
        var findings: [ConsistencyFinding] = []
        /// The name to go on from; nil at the end.
        var next: Key?
    }

    func range(from lower: Key, in transaction: any ReadTransaction) throws -> Range {
        var rest = Keyspace.assetBlobs
        rest.lower = Key(rest.lower.bytes + lower.bytes)
        let page = try transaction.entries(in: rest, limit: limit)
        var uses = FirstNames(
            limit: limit, lower: lower, upper: page.count == limit ? page.last.map { Self.name(of: $0).next } : nil)
        try transaction.forEach(in: Keyspace.assetUses, limit: .max, reverse: false) { key, _ in
            if let asset = Keyspace.usedAsset(Key(Array(key))) { uses.count(Key(asset.bytes)) }
            return true
        }
        try transaction.forEach(in: Keyspace.assetUploads, limit: .max, reverse: false) { _, value in
            if let asset = try StoredUpload(stored: Array(value)).asset { uses.count(Key(asset.bytes)) }
            return true
        }
        var range = Range(next: uses.upper)
        for entry in page {
            guard let asset = AssetID(bytes: entry.key.bytes.dropFirst()) else { continue }
            guard uses.covers(Self.name(of: entry)) else { break }
            let blob = try StoredBlob(stored: entry.value)
            range.blobs.append((asset, blob))
            let count = uses.counts.removeValue(forKey: Self.name(of: entry)) ?? 0
            if blob.references != count {
                range.findings.append(
                    place.finding(
                        .wrongAssetUse,
                        "asset \(asset.fileChecksum) is counted \(blob.references) times, not \(count) times"))
            }
        }
        for name in uses.counts.keys.sorted() {
            guard let asset = AssetID(bytes: name.bytes) else { continue }
            range.findings.append(place.finding(.missingAsset, "asset \(asset.fileChecksum) is not known"))
        }
        return range
    }

    private static func name(of entry: StoreEntry) -> Key { Key(Array(entry.key.bytes.dropFirst())) }
}

/// Counts the first names of many that come in any order, and keeps no more than twice as many as are wanted.
private struct FirstNames {
    let limit: Int
    let lower: Key
    /// Names from here on are not counted. It only ever gets less, so what is below was counted from the beginning.
    private(set) var upper: Key?
    var counts: [Key: UInt64] = [:]

    init(limit: Int, lower: Key, upper: Key?) {
        self.limit = limit
        self.lower = lower
        self.upper = upper
    }

    func covers(_ name: Key) -> Bool { lower <= name && upper.map { name < $0 } ?? true }

    mutating func count(_ name: Key) {
        guard covers(name) else { return }
        counts[name, default: 0] += 1
        guard counts.count > 2 * limit else { return }
        let names = counts.keys.sorted()
        upper = names[limit]
        for name in names[limit...] { counts[name] = nil }
    }
}
