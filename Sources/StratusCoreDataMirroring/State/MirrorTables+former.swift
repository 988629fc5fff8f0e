import Foundation
import StratusCoreData
import StratusSQLite

/// A record whose object has moved to another zone. It is deleted when the server has the record there.
struct FormerRecord: Hashable, Sendable {
    var zone: Int64
    var name: String
    /// The object; of a link, one of its two.
    var key: StoredObjectKey
    /// The change tag of the record whose values the object has; nil if the server is not known to have one, and for
    /// links, which never change.
    var tag: String?
    /// The values that the object and this record had last in common.
    var base: MirroredBase?
    var deletion = Deletion.waitsForFetch

    /// The next step towards the deletion, as the tables have it.
    enum Deletion: Int64, Sendable {
        /// The server has to have the record in its new zone, and a fetch has to bring what others changed in this one.
        case waitsForFetch = 0
        case canBeSent = 1
        /// The server has refused it for good. It is sent again after the next start, as everything that was refused.
        case isRefused = 2
    }
}

// Records that objects have left behind.
extension MirrorTables {
    private static let columns = "ZZONE, ZNAME, ZENTITY, ZKEY, ZTAG, ZBASE, ZDELETION"

    /// Returns the record that an object has left behind; nil if it is of no such object.
    func former(named name: String, in zone: Int64) throws -> FormerRecord? {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_FORMER WHERE ZZONE = ? AND ZNAME = ?"
        ).first(zone, name, row: Self.former)
    }

    /// Returns records of a zone whose deletion can be sent.
    func checkedFormers(in zone: Int64, limit: Int) throws -> [FormerRecord] {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_FORMER WHERE ZZONE = ? AND ZDELETION = 1 "
                + "ORDER BY Z_PK LIMIT ?"
        ).all(zone, limit, row: Self.former)
    }

    /// Returns records of all zones that wait to be deleted, also those that cannot be deleted yet.
    func formers(limit: Int) throws -> [FormerRecord] {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_FORMER ORDER BY Z_PK LIMIT ?").all(
            limit, row: Self.former)
    }

    /// Lets records be deleted whose objects the server has in their new zones. Called after a fetch, which brings what
    /// other devices had changed in the old zone.
    func checkFormers() throws {
        try transaction.statement(
            """
            UPDATE STRATUS_FORMER SET ZDELETION = 1 WHERE ZDELETION = 0 AND NOT EXISTS (
                SELECT 1 FROM STRATUS_RECORD r WHERE r.ZENTITY = STRATUS_FORMER.ZENTITY
                AND r.ZKEY = STRATUS_FORMER.ZKEY AND r.ZSERVER IS NULL)
            """
        ).run()
    }

    func put(_ former: FormerRecord) throws {
        let base = former.base?.encoded
        try transaction.statement(
            "INSERT OR REPLACE INTO STRATUS_FORMER (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)"
        ).run(
            former.zone, former.name, former.key.entity, former.key.primaryKey, former.tag, base.map { Array($0) },
            former.deletion.rawValue)
    }

    func deleteFormer(named name: String, in zone: Int64) throws {
        try transaction.statement("DELETE FROM STRATUS_FORMER WHERE ZZONE = ? AND ZNAME = ?").run(zone, name)
    }

    private static func former(_ row: SQLiteRow) throws -> FormerRecord {
        FormerRecord(
            zone: row.integer(0) ?? 0, name: row.text(1) ?? "",
            key: StoredObjectKey(entity: row.text(2) ?? "", primaryKey: row.integer(3) ?? 0), tag: row.text(4),
            base: try row.blob(5).map { try MirroredBase(encoded: Data($0)) },
            deletion: FormerRecord.Deletion(rawValue: row.integer(6) ?? 0) ?? .waitsForFetch)
    }
}
