import CloudModel
import CloudStore

/// Which records have which bytes, and how many there are of each.
struct AssetCheck: Sendable {
    /// Those that are not being deleted.
    let zones: Set<ZoneNumber>
    let place: ConsistencyPlace

    /// - Returns: all bytes that are kept, and what is wrong about them.
    func run(in transaction: any ReadTransaction) throws -> ([AssetID: StoredBlob], [ConsistencyFinding]) {
        var findings: [ConsistencyFinding] = []
        var counts: [AssetID: UInt64] = [:]
        try transaction.forEach(in: Self.range(.assetUse), limit: .max, reverse: false) { key, _ in
            let key = Key(Array(key))
            guard let asset = Keyspace.usedAsset(key) else { return true }
            counts[asset, default: 0] += 1
            if try !isUsed(asset, key, in: transaction) {
                findings.append(place.finding(.wrongAssetUse, "asset \(asset.fileChecksum), which no record has"))
            }
            return true
        }
        try transaction.forEach(in: Self.range(.assetUpload), limit: .max, reverse: false) { _, value in
            if let asset = try StoredUpload(stored: Array(value)).asset { counts[asset, default: 0] += 1 }
            return true
        }
        var blobs: [AssetID: StoredBlob] = [:]
        try transaction.forEach(in: Keyspace.assetBlobs, limit: .max, reverse: false) { key, value in
            guard let asset = AssetID(bytes: Array(key.dropFirst())) else { return true }
            let blob = try StoredBlob(stored: Array(value))
            blobs[asset] = blob
            let count = counts.removeValue(forKey: asset) ?? 0
            if blob.references != count {
                findings.append(
                    place.finding(
                        .wrongAssetUse,
                        "asset \(asset.fileChecksum) is counted \(blob.references) times, not \(count) times"))
            }
            return true
        }
        findings += counts.keys.map { place.finding(.missingAsset, "asset \($0.fileChecksum) is not known") }
        return (blobs, findings)
    }

    private func isUsed(_ asset: AssetID, _ key: Key, in transaction: any ReadTransaction) throws -> Bool {
        var decoder = TupleDecoder(key, skipping: 1)
        guard let number = decoder.unsigned(), let name = decoder.string() else { return false }
        let zone = ZoneNumber(rawValue: number)
        guard zones.contains(zone) else { return true }
        return try transaction.readableRecords([name], in: zone)[name]?.fields.assets.contains(asset) == true
    }

    private static func range(_ tag: Keyspace.Tag) -> KeyRange { KeyRange(prefix: Key([tag.rawValue])) }
}
