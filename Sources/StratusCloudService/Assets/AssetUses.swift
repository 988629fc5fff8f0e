import StratusCloudModel
import StratusCloudStore

/// Keeps which records have which bytes.
struct AssetUses {
    private let ledger: BlobLedger

    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    init(_ transaction: any WriteTransaction, at now: Int64) {
        ledger = BlobLedger(transaction: transaction, now: now)
    }

    /// Follows a record from one state to the next; nil is no record.
    func update(_ recordName: String, in zone: ZoneNumber, from old: FieldMap?, to new: FieldMap?) throws {
        let before = old?.assets ?? []
        let after = new?.assets ?? []
        guard !before.isEmpty || !after.isEmpty else { return }
        for asset in after where !before.contains(asset) {
            try ledger.retain(asset)
            ledger.transaction.set(Keyspace.assetUse(zone: zone, recordName: recordName, asset), [])
        }
        for asset in before where !after.contains(asset) {
            try ledger.release(asset)
            ledger.transaction.clear(Keyspace.assetUse(zone: zone, recordName: recordName, asset))
        }
    }

    /// Lets go of what the records of a deleted zone had, a bounded number at a time.
    /// - Returns: whether there was anything.
    func releaseStep(of zone: ZoneNumber) throws -> Bool {
        let uses = try ledger.transaction.entries(
            in: Keyspace.assetUses(of: zone), limit: ServiceLimits.clearedEntriesPerStep)
        for use in uses {
            if let asset = Keyspace.usedAsset(use.key) { try ledger.release(asset) }
            ledger.transaction.clear(use.key)
        }
        return !uses.isEmpty
    }
}

extension StoredRecord {
    /// Whether any field is one of assets.
    var hasAssets: Bool { fields.hasField(of: .asset) }
}

extension FieldMap {
    /// The bytes that the fields have, each once, in the order of the fields.
    var assets: [AssetID] {
        var found: [AssetID] = []
        for entry in self where entry.field.value.scalarType == .asset {
            for asset in entry.field.value.assets.compactMap({ AssetID(fileChecksum: $0.fileChecksum) })
            where !found.contains(asset) {
                found.append(asset)
            }
        }
        return found
    }
}

extension FieldValue {
    /// The assets of a field; none if it has another type.
    var assets: [Asset] {
        switch self {
        case .scalar(.asset(let asset)): [asset]
        case .scalar: []
        case .list(_, let elements):
            elements.compactMap { if case .asset(let asset) = $0 { asset } else { nil } }
        }
    }
}
