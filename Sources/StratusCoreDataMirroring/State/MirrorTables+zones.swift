import Foundation
import StratusCloudKit
import StratusCoreData
import StratusSQLite

/// The state of a zone.
struct ZoneRow: Sendable {
    let number: Int64
    let zoneID: CKRecordZone.ID
    /// Whether the server has the zone, as far as is known.
    var isSaved: Bool
    /// Whether the records of the zone are fetched from the beginning, after which those that did not come are deleted.
    var isListing: Bool
    /// Whether the zone is being made for a share, and no object is in it yet.
    var isDraft = false
    /// The share of the zone as the server had it last, as an archive; nil if the zone is not shared.
    var share: Data?

    /// Whether the zone has to be saved before its records. One that is listed may be gone for good, unless it is the
    /// zone of objects that are not shared.
    func needsSaving(_ rules: MirroredZones) -> Bool {
        !isSaved && !isDraft && (zoneID == rules.home || !isListing)
    }

    /// The number that stands for no zone: objects in a store of the shared database have it until they are related to
    /// one that is shared.
    static let noZone: Int64 = 0
}

// Zones whose records are mirrored.
extension MirrorTables {
    private static let columns = "Z_PK, ZNAME, ZOWNER, ZISSAVED, ZISLISTING, ZISDRAFT, ZSHARE"

    /// Returns the state of a zone, which is added if it is new.
    func zone(_ zoneID: CKRecordZone.ID) throws -> ZoneRow {
        if let known = try findZone(zoneID) { return known }
        try transaction.statement(
            "INSERT INTO STRATUS_ZONE (ZNAME, ZOWNER, ZISSAVED, ZISLISTING, ZISDRAFT) VALUES (?, ?, 0, 0, 0)"
        ).run(zoneID.zoneName, zoneID.ownerName)
        guard let added = try findZone(zoneID) else { throw CocoaError.make(.coreData, "a zone could not be added") }
        return added
    }

    /// Returns the state of a zone; nil if it is not known.
    func findZone(_ zoneID: CKRecordZone.ID) throws -> ZoneRow? {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_ZONE WHERE ZNAME = ? AND ZOWNER = ?"
        ).first(zoneID.zoneName, zoneID.ownerName, row: Self.zone)
    }

    /// Returns the state of the zone with a number.
    func zone(_ number: Int64) throws -> ZoneRow? {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_ZONE WHERE Z_PK = ?").first(
            number, row: Self.zone)
    }

    /// Returns all zones, in the order in which they came.
    func zones() throws -> [ZoneRow] {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_ZONE ORDER BY Z_PK").all(row: Self.zone)
    }

    func update(_ zone: ZoneRow) throws {
        try transaction.statement(
            "UPDATE STRATUS_ZONE SET ZISSAVED = ?, ZISLISTING = ?, ZISDRAFT = ?, ZSHARE = ? WHERE Z_PK = ?"
        ).run(zone.isSaved, zone.isListing, zone.isDraft, zone.share.map { Array($0) }, zone.number)
    }

    /// Forgets a zone and everything that the tables have about its records.
    func delete(_ zone: ZoneRow) throws {
        for table in ["STRATUS_RECORD", "STRATUS_LINK", "STRATUS_WAITING", "STRATUS_FORMER"] {
            try transaction.statement("DELETE FROM \(table) WHERE ZZONE = ?").run(zone.number)
        }
        try transaction.statement("DELETE FROM STRATUS_ZONE WHERE Z_PK = ?").run(zone.number)
    }

    private static func zone(_ row: SQLiteRow) -> ZoneRow {
        ZoneRow(
            number: row.integer(0) ?? 0,
            zoneID: CKRecordZone.ID(zoneName: row.text(1) ?? "", ownerName: row.text(2) ?? ""),
            isSaved: row.integer(3) == 1, isListing: row.integer(4) == 1, isDraft: row.integer(5) == 1,
            share: row.blob(6).map { Data($0) })
    }
}
