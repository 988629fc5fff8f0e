import Foundation
import StratusCoreData
import StratusSQLite

// The state of objects.
extension MirrorTables {
    private static let columns =
        "ZENTITY, ZKEY, ZZONE, ZNAME, ZSERVER, ZBASE, ZPENDING, ZREVISION, ZREFUSED, ZCHANGED, ZISLISTED"

    /// Returns the state of an object; nil if it has none yet.
    func record(_ key: StoredObjectKey) throws -> RecordRow? {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZENTITY = ? AND ZKEY = ?").first(
            key.entity, key.primaryKey, row: Self.record)
    }

    /// Returns the state of the object with a record.
    func record(named name: String, in zone: Int64) throws -> RecordRow? {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZZONE = ? AND ZNAME = ?").first(
            zone, name, row: Self.record)
    }

    /// Returns the states of the objects with records, in no order.
    func records(named names: [String], in zone: Int64) throws -> [RecordRow] {
        let list = String(decoding: try JSONEncoder().encode(names), as: UTF8.self)
        return try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZZONE = ? AND ZNAME IN (SELECT value FROM json_each(?))"
        ).all(zone, list, row: Self.record)
    }

    /// Returns the state of the object whose record has a name, in whatever zone that is.
    func record(named name: String) throws -> RecordRow? {
        // The index of names begins with the zone.
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZZONE IN (SELECT Z_PK FROM STRATUS_ZONE) AND ZNAME = ?"
        ).first(name, row: Self.record)
    }

    /// The condition for what can be sent: the server has not refused it, and has its record still, as far as is known.
    static let canBeSent = "ZPENDING != 0 AND ZREFUSED IS NOT ZREVISION AND (ZSERVER IS NULL OR ZISLISTED = 1)"

    /// Returns objects that wait for export, in the order in which they came.
    func pendingRecords(in zone: Int64, limit: Int) throws -> [RecordRow] {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZZONE = ? AND \(Self.canBeSent) ORDER BY Z_PK LIMIT ?"
        ).all(zone, limit, row: Self.record)
    }

    /// Returns objects of all zones that wait for export, also those that cannot be sent.
    func waitingRecords(limit: Int) throws -> [RecordRow] {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_RECORD WHERE ZPENDING != 0 ORDER BY Z_PK LIMIT ?"
        ).all(limit, row: Self.record)
    }

    /// Returns the places of the objects in a zone.
    func recordKeys(in zone: Int64) throws -> [StoredObjectKey] {
        try transaction.statement("SELECT ZENTITY, ZKEY FROM STRATUS_RECORD WHERE ZZONE = ?").all(zone, row: Self.key)
    }

    /// Returns the names of the records of the objects in a zone.
    func recordNames(in zone: Int64) throws -> [String] {
        try transaction.statement("SELECT ZNAME FROM STRATUS_RECORD WHERE ZZONE = ? ORDER BY Z_PK").all(zone) {
            $0.text(0) ?? ""
        }
    }

    /// Returns the places of all objects that have a state.
    func recordKeys() throws -> [StoredObjectKey] {
        try transaction.statement("SELECT ZENTITY, ZKEY FROM STRATUS_RECORD WHERE ZPENDING != 2").all(row: Self.key)
    }

    /// Writes the state of an object.
    func put(_ record: RecordRow) throws {
        let base = record.base?.encoded
        try transaction.statement(
            """
            INSERT INTO STRATUS_RECORD (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (ZENTITY, ZKEY) DO UPDATE SET ZZONE = excluded.ZZONE, ZNAME = excluded.ZNAME,
            ZSERVER = excluded.ZSERVER, ZBASE = excluded.ZBASE, ZPENDING = excluded.ZPENDING,
            ZREVISION = excluded.ZREVISION, ZREFUSED = excluded.ZREFUSED, ZCHANGED = excluded.ZCHANGED,
            ZISLISTED = excluded.ZISLISTED
            """
        ).run(
            record.key.entity, record.key.primaryKey, record.zone, record.name,
            record.export.server.map { Array($0) }, base.map { Array($0) }, record.export.pending.rawValue,
            record.export.revision, record.export.refused, record.changed.timeIntervalSinceReferenceDate,
            record.export.isListed)
    }

    /// Forgets an object.
    func deleteRecord(_ key: StoredObjectKey) throws {
        try transaction.statement("DELETE FROM STRATUS_RECORD WHERE ZENTITY = ? AND ZKEY = ?").run(
            key.entity, key.primaryKey)
    }

    private static func key(_ row: SQLiteRow) -> StoredObjectKey {
        StoredObjectKey(entity: row.text(0) ?? "", primaryKey: row.integer(1) ?? 0)
    }

    private static func record(_ row: SQLiteRow) throws -> RecordRow {
        RecordRow(
            key: StoredObjectKey(entity: row.text(0) ?? "", primaryKey: row.integer(1) ?? 0),
            zone: row.integer(2) ?? 0, name: row.text(3) ?? "",
            export: ExportState(
                server: row.blob(4).map { Data($0) },
                pending: PendingExport(rawValue: row.integer(6) ?? 0) ?? .nothing, revision: row.integer(7) ?? 0,
                refused: row.integer(8), isListed: row.integer(10) == 1),
            base: try row.blob(5).map { try MirroredBase(encoded: Data($0)) },
            changed: Date(timeIntervalSinceReferenceDate: row.real(9) ?? 0))
    }

    // MARK: - All records

    /// Whether something waits for export that the server did not refuse.
    func hasPending() throws -> Bool {
        let zones = "ZZONE IN (SELECT Z_PK FROM STRATUS_ZONE)"
        let found =
            ["STRATUS_RECORD", "STRATUS_LINK"].map {
                "EXISTS (SELECT 1 FROM \($0) WHERE \(Self.canBeSent) AND \(zones))"
            } + ["EXISTS (SELECT 1 FROM STRATUS_FORMER WHERE ZDELETION = 1)"]
        return try transaction.statement("SELECT \(found.joined(separator: " OR "))").first { $0.integer(0) == 1 }
            ?? false
    }

    /// Lets everything that the server refused be sent again.
    func forgetRefusals() throws {
        try transaction.statement("UPDATE STRATUS_RECORD SET ZREFUSED = NULL WHERE ZREFUSED IS NOT NULL").run()
        try transaction.statement("UPDATE STRATUS_LINK SET ZREFUSED = NULL WHERE ZREFUSED IS NOT NULL").run()
        try transaction.statement("UPDATE STRATUS_FORMER SET ZDELETION = 1 WHERE ZDELETION = 2").run()
    }

    /// Begins a listing of a zone.
    func forgetListing(of zone: Int64) throws {
        try transaction.statement("UPDATE STRATUS_RECORD SET ZISLISTED = 0 WHERE ZZONE = ?").run(zone)
        try transaction.statement("UPDATE STRATUS_LINK SET ZISLISTED = 0 WHERE ZZONE = ?").run(zone)
    }

    /// Returns the names of records that the server had, and that have not come since the listing of their zone began.
    func unlistedNames(in zone: Int64) throws -> [String] {
        try ["STRATUS_RECORD", "STRATUS_LINK"].flatMap { table in
            try transaction.statement(
                "SELECT ZNAME FROM \(table) WHERE ZZONE = ? AND ZSERVER IS NOT NULL AND ZISLISTED = 0 ORDER BY Z_PK"
            ).all(zone) { $0.text(0) ?? "" }
        }
    }

    /// Makes everything in a zone wait for export as if the server had never had it.
    func exportAgain(_ zone: Int64) throws {
        try transaction.statement("DELETE FROM STRATUS_RECORD WHERE ZZONE = ? AND ZPENDING = 2").run(zone)
        try transaction.statement("DELETE FROM STRATUS_LINK WHERE ZZONE = ? AND ZPENDING = 2").run(zone)
        let change = "ZSERVER = NULL, ZPENDING = 1, ZREVISION = ZREVISION + 1, ZREFUSED = NULL WHERE ZZONE = ?"
        try transaction.statement("UPDATE STRATUS_RECORD SET ZBASE = NULL, \(change)").run(zone)
        try transaction.statement("UPDATE STRATUS_LINK SET \(change)").run(zone)
    }
}
