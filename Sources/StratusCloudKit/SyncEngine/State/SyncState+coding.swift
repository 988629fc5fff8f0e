import Foundation

// The bytes of a serialization: a version, then texts and lists, each after its length. Numbers are written seven bits at a time.
extension SyncState {
    /// The only version there is.
    static let codingVersion: UInt64 = 2

    func encoded() -> Data {
        var writer = CompactWriter()
        writer.number(Self.codingVersion)
        writer.text(userName)
        writer.text(databaseToken)
        writer.text(subscriptionID)
        writer.flag(hasUntrackedChanges || isSendingUntrackedChanges)
        let behind = zonesBehind
        let rest = zones.keys.filter { zones[$0]?.isBehind == false }
            .sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
        writer.list(behind + rest) { writer, zoneID in
            writer.zone(zoneID)
            writer.text(zones[zoneID]?.token)
            writer.flag(zones[zoneID]?.isBehind ?? false)
        }
        writer.list(databaseChanges.changes) { writer, change in
            if case .saveZone(let zone) = change {
                writer.number(UInt64(zone.encryptionScope.rawValue) + 1)
            } else {
                writer.number(0)
            }
            writer.zone(change.zoneID)
        }
        writer.list(recordChanges.changes) { writer, change in
            if case .saveRecord = change { writer.flag(true) } else { writer.flag(false) }
            writer.zone(change.recordID.zoneID)
            writer.text(change.recordID.recordName)
        }
        let order = unfollowed.keys.sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }
        writer.list(order) { writer, zoneID in
            writer.zone(zoneID)
            writer.list((unfollowed[zoneID] ?? [:]).sorted { $0.key < $1.key }) { writer, record in
                writer.text(record.key)
                writer.text(record.value)
            }
        }
        writer.flag(unlisted != nil)
        writer.list((unlisted ?? []).sorted { ($0.ownerName, $0.zoneName) < ($1.ownerName, $1.zoneName) }) {
            $0.zone($1)
        }
        return writer.data
    }

    /// - Throws: ``CompactReader/Failure``
    init(_ data: Data) throws {
        var reader = CompactReader(data)
        let version = try reader.number()
        guard version == Self.codingVersion else { throw CompactReader.Failure("its version is \(version)") }
        self.init()
        userName = try reader.text()
        databaseToken = try reader.text()
        subscriptionID = try reader.text()
        hasUntrackedChanges = try reader.flag()
        for _ in 0..<(try reader.count()) {
            let zoneID = try reader.zone()
            let token = try reader.text()
            setZone(zoneID, Zone(token: token, isBehind: try reader.flag()))
        }
        var zoneChanges: [CKSyncEngine.PendingDatabaseChange] = []
        for _ in 0..<(try reader.count()) {
            let kind = try reader.number()
            let zoneID = try reader.zone()
            guard kind > 0 else {
                zoneChanges.append(.deleteZone(zoneID))
                continue
            }
            guard let scope = CKRecordZone.EncryptionScope(rawValue: Int(clamping: kind - 1)) else {
                throw CompactReader.Failure("a zone has no such encryption scope")
            }
            let zone = CKRecordZone(zoneID: zoneID)
            zone.encryptionScope = scope
            zoneChanges.append(.saveZone(zone))
        }
        _ = databaseChanges.add(zoneChanges)
        var changes: [CKSyncEngine.PendingRecordZoneChange] = []
        for _ in 0..<(try reader.count()) {
            let isSave = try reader.flag()
            let zoneID = try reader.zone()
            let recordID = CKRecord.ID(recordName: try reader.requiredText(), zoneID: zoneID)
            changes.append(isSave ? .saveRecord(recordID) : .deleteRecord(recordID))
        }
        _ = recordChanges.add(changes)
        for _ in 0..<(try reader.count()) {
            let zoneID = try reader.zone()
            var records: [String: CKRecord.RecordType] = [:]
            for _ in 0..<(try reader.count()) { records[try reader.requiredText()] = try reader.requiredText() }
            setUnfollowed(records, of: zoneID)
        }
        let isListing = try reader.flag()
        var zoneIDs: Set<CKRecordZone.ID> = []
        for _ in 0..<(try reader.count()) { zoneIDs.insert(try reader.zone()) }
        if isListing { setUnlisted(zoneIDs) }
        guard reader.isAtEnd else { throw CompactReader.Failure("there is something behind its end") }
    }
}
