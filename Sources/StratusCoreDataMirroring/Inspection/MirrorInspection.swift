import Foundation
import StratusCloudKit
import StratusCoreData

/// A reason why a file does not show the state of a mirroring.
package enum MirrorInspectionError: Error, CustomStringConvertible {
    /// The store has never been mirrored.
    case notMirrored
    /// The state has a version that this module does not know.
    case otherVersion(String)
    /// An object of another store was asked for.
    case otherStore(String)
    /// The mirroring knows nothing of an object.
    case unknown(String)

    /// The reason in words.
    package var description: String {
        switch self {
        case .notMirrored: "the store has never been mirrored"
        case .otherVersion(let reason): reason
        case .otherStore(let uri): "the object \(uri) belongs to another store"
        case .unknown(let text):
            "the mirroring knows no object and no record '\(text)': it does not exist, or its save has not been noted yet"
        }
    }
}

/// The state of the mirroring in the file of a store, which is read at one moment and not changed.
package struct MirrorInspection {
    private let store: StoreInspection
    private let tables: MirrorTables

    /// Returns the result of a block that looks at the file of a store.
    /// - Throws: `MirrorInspectionError`, or an error of Cocoa's domain about the file.
    package static func reading<Value>(_ path: String, _ body: (MirrorInspection) throws -> Value) throws -> Value {
        try StoreInspection.reading(path) { store in
            guard try MirrorSchema.exists(in: store.transaction) else { throw MirrorInspectionError.notMirrored }
            do {
                try MirrorSchema.checkVersion(in: store.transaction)
            } catch  where error.isCocoa(.persistentStoreIncompatibleSchema) {
                throw MirrorInspectionError.otherVersion(error.localizedDescription)
            }
            return try body(MirrorInspection(store: store, tables: MirrorTables(transaction: store.transaction)))
        }
    }

    /// Returns the state of the whole.
    /// - Parameter events: The most events that are returned, of which the newest count.
    package func overview(events limit: Int) throws -> MirrorOverview {
        // A store of the public database has another state in its place. A mirror that cannot read its state begins
        // anew.
        let engine = try tables.engineState().flatMap {
            try? PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
        }
        let feed = engine == nil ? try tables.publicState() : nil
        return MirrorOverview(
            store: store.identifier, account: try tables.account() ?? feed?.account, position: try tables.position(),
            lastTransaction: store.lastTransaction, databaseToken: engine?.databaseToken,
            publicFeed: feed.map(MirrorOverview.PublicFeed.init),
            zones: try tables.zones().map { try zone($0, engine) },
            events: try tables.events().suffix(limit).map(MirrorOverview.Event.init))
    }

    private func zone(_ zone: ZoneRow, _ engine: CKSyncEngine.State.Serialization?) throws -> MirrorOverview.Zone {
        let counts = try tables.counts(in: zone.number)
        let progress = engine?.zones.first { $0.zoneID == zone.zoneID }
        return MirrorOverview.Zone(
            name: zone.zoneID.zoneName, owner: zone.zoneID.ownerName, isSaved: zone.isSaved,
            isListing: zone.isListing, token: progress?.token, isBehind: progress?.isBehind ?? false,
            objects: counts.objects, links: counts.links, saves: counts.saves, deletions: counts.deletions,
            refused: counts.refused, references: counts.references, formers: counts.formers,
            share: try MirrorOverview.Share(zone))
    }

    /// Returns what waits for export, in the order in which it came: first objects, then links, then records that were
    /// left behind.
    package func waiting(limit: Int) throws -> [InspectedRecord] {
        let records = try tables.waitingRecords(limit: limit)
        let links = try tables.waitingLinks(limit: limit - records.count)
        let formers = try tables.formers(limit: limit - records.count - links.count)
        return try records.map(inspected) + links.map(inspected) + formers.map(inspected)
    }

    /// Returns the state of an object and its links.
    /// - Parameter text: The URI of the object, its entity and key as `Note/12`, or the name of its record.
    package func object(_ text: String) throws -> InspectedObject {
        guard let row = try record(text) else { throw MirrorInspectionError.unknown(text) }
        return InspectedObject(
            record: try inspected(row), changed: row.changed == .distantPast ? nil : row.changed,
            server: try row.export.serverRecord().map(InspectedObject.Server.init),
            references: try tables.waiting(of: row.name, in: row.zone).map {
                InspectedObject.Reference(relationship: $0.relationship, target: $0.target)
            },
            links: try tables.links(of: row.name).map(inspected))
    }

    private func record(_ text: String) throws -> RecordRow? {
        if let key = try key(text) { return try tables.record(key) }
        return try tables.record(named: text)
    }

    private func key(_ text: String) throws -> StoredObjectKey? {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if text.hasPrefix("x-coredata://") {
            guard parts.count == 5, parts[2] == store.identifier else { throw MirrorInspectionError.otherStore(text) }
            parts.removeFirst(3)
        }
        guard parts.count == 2, store.entityNames.contains(String(parts[0])),
            let number = Int64(parts[1].hasPrefix("p") ? parts[1].dropFirst() : parts[1])
        else { return nil }
        return StoredObjectKey(entity: String(parts[0]), primaryKey: number)
    }

    private func inspected(_ row: RecordRow) throws -> InspectedRecord {
        InspectedRecord(
            zone: try tables.zone(row.zone)?.zoneID.zoneName ?? "", name: row.name,
            object: "\(row.key.entity)/\(row.key.primaryKey)", export: row.export)
    }

    private func inspected(_ row: FormerRecord) throws -> InspectedRecord {
        InspectedRecord(
            leftBehind: row.name, in: try tables.zone(row.zone)?.zoneID.zoneName ?? "",
            object: "\(row.key.entity)/\(row.key.primaryKey)", isRefused: row.deletion == .isRefused)
    }

    private func inspected(_ row: LinkRow) throws -> InspectedRecord {
        InspectedRecord(
            zone: try tables.zone(row.zone)?.zoneID.zoneName ?? "", name: row.name,
            link: InspectedRecord.Link(relationship: row.relationship, first: row.first, second: row.second),
            export: row.export)
    }
}
