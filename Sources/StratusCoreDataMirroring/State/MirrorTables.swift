import Foundation
import StratusCloudKit
import StratusCoreData

/// The state of the mirroring of a store, in its own file.
struct MirrorTables {
    let transaction: StoreTransaction

    // MARK: - The mirror

    /// The account that the store was mirrored with last; nil before the first one.
    func account() throws -> String? {
        try transaction.statement("SELECT ZACCOUNT FROM STRATUS_MIRROR").first { $0.text(0) } ?? nil
    }

    func setAccount(_ account: String?) throws {
        try transaction.statement("UPDATE STRATUS_MIRROR SET ZACCOUNT = ?").run(account)
    }

    /// The number of the last transaction of the history whose changes are in the tables; nil if all objects have to be
    /// compared with the tables.
    func position() throws -> Int64? {
        try transaction.statement("SELECT ZPOSITION FROM STRATUS_MIRROR").first { $0.integer(0) } ?? nil
    }

    func setPosition(_ position: Int64?) throws {
        try transaction.statement("UPDATE STRATUS_MIRROR SET ZPOSITION = ?").run(position)
    }

    /// The state of the sync engine.
    func engineState() throws -> Data? {
        let bytes = try transaction.statement("SELECT ZENGINE FROM STRATUS_MIRROR").first { $0.blob(0) } ?? nil
        return bytes.map { Data($0) }
    }

    func setEngineState(_ state: Data?) throws {
        try transaction.statement("UPDATE STRATUS_MIRROR SET ZENGINE = ?").run(state.map { Array($0) })
    }

    /// Forgets everything about the cloud but the events.
    func clear() throws {
        for table in ["STRATUS_ZONE", "STRATUS_RECORD", "STRATUS_LINK", "STRATUS_WAITING"] {
            try transaction.statement("DELETE FROM \(table)").run()
        }
    }

    // MARK: - Zones

    /// Returns the state of a zone, which is added if it is new.
    func zone(_ zoneID: CKRecordZone.ID) throws -> ZoneRow {
        if let known = try findZone(zoneID) { return known }
        try transaction.statement("INSERT INTO STRATUS_ZONE (ZNAME, ZOWNER, ZISSAVED, ZISLISTING) VALUES (?, ?, 0, 0)")
            .run(zoneID.zoneName, zoneID.ownerName)
        guard let added = try findZone(zoneID) else { throw CocoaError.make(.coreData, "a zone could not be added") }
        return added
    }

    /// Returns the state of a zone; nil if it is not known.
    func findZone(_ zoneID: CKRecordZone.ID) throws -> ZoneRow? {
        try transaction.statement(
            "SELECT Z_PK, ZISSAVED, ZISLISTING FROM STRATUS_ZONE WHERE ZNAME = ? AND ZOWNER = ?"
        ).first(zoneID.zoneName, zoneID.ownerName) { row in
            ZoneRow(
                number: row.integer(0) ?? 0, zoneID: zoneID, isSaved: row.integer(1) == 1,
                isListing: row.integer(2) == 1)
        }
    }

    /// Returns the zone with a number.
    func zoneID(_ number: Int64) throws -> CKRecordZone.ID? {
        try transaction.statement("SELECT ZNAME, ZOWNER FROM STRATUS_ZONE WHERE Z_PK = ?").first(number) { row in
            CKRecordZone.ID(zoneName: row.text(0) ?? "", ownerName: row.text(1) ?? "")
        }
    }

    func update(_ zone: ZoneRow) throws {
        try transaction.statement("UPDATE STRATUS_ZONE SET ZISSAVED = ?, ZISLISTING = ? WHERE Z_PK = ?").run(
            zone.isSaved, zone.isListing, zone.number)
    }
}

/// The state of a zone.
struct ZoneRow: Sendable {
    let number: Int64
    let zoneID: CKRecordZone.ID
    /// Whether the server has the zone, as far as is known.
    var isSaved: Bool
    /// Whether the records of the zone are fetched from the beginning, after which those that did not come are deleted.
    var isListing: Bool
}
