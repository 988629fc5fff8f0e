import StratusCloudModel
import StratusCloudStore

/// From what is noted of records that have assets to the records that do.
struct AssetUseCheck: Sendable {
    /// Those that are not being deleted.
    let zones: Set<ZoneNumber>
    let place: ConsistencyPlace
    let isSuspect: @Sendable (_ recordName: String, ZoneNumber) -> Bool

    private struct Use {
        let asset: AssetID
        /// nil in a key that says none.
        let zone: ZoneNumber?
        let recordName: String?

        init?(_ key: Key) {
            guard let asset = Keyspace.usedAsset(key) else { return nil }
            self.asset = asset
            var decoder = TupleDecoder(key, skipping: 1)
            zone = decoder.unsigned().map { ZoneNumber(rawValue: $0) }
            recordName = zone == nil ? nil : decoder.string()
        }
    }

    func step(from: Key?, in transaction: StepTransaction) throws -> CheckStep {
        var step = CheckStep()
        var range = Keyspace.assetUses
        if let from { range.lower = from }
        let limit = ServiceLimits.clearedIndexEntriesPerStep
        let keys = try transaction.reading.entries(in: range, limit: limit).map(\.key)
        let uses = keys.compactMap(Use.init)
        var wanted: [ZoneNumber: Set<String>] = [:]
        for use in uses {
            guard let zone = use.zone, let name = use.recordName, zones.contains(zone), isSuspect(name, zone) else {
                continue
            }
            wanted[zone, default: []].insert(name)
        }
        var records: [ZoneNumber: [String: StoredRecord]] = [:]
        for (zone, names) in wanted {
            records[zone] = try transaction.reading.readableRecords(names.sorted(), in: zone)
        }
        for use in uses {
            if let zone = use.zone, let name = use.recordName {
                guard zones.contains(zone), isSuspect(name, zone) else { continue }
                if records[zone]?[name]?.fields.assets.contains(use.asset) == true { continue }
            }
            step.findings.append(
                place.finding(.wrongAssetUse, "asset \(use.asset.fileChecksum), which no record has"))
        }
        if keys.count == limit { step.next = keys.last?.next }
        return step
    }
}
