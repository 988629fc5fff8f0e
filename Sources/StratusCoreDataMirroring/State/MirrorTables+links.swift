import Foundation
import StratusCoreData
import StratusSQLite

// The state of links.
extension MirrorTables {
    private static let columns =
        "ZRELATIONSHIP, ZZONE, ZNAME, ZFIRST, ZSECOND, ZSERVER, ZPENDING, ZREVISION, ZREFUSED, ZISLISTED, ZISAPPLIED"

    /// Returns the state of the link with a record.
    func link(named name: String, in zone: Int64) throws -> LinkRow? {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_LINK WHERE ZZONE = ? AND ZNAME = ?").first(
            zone, name, row: Self.link)
    }

    /// Returns the states of all links of an object with a record.
    func links(of name: String) throws -> [LinkRow] {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_LINK WHERE ZFIRST = ? OR ZSECOND = ?").all(
            name, name, row: Self.link)
    }

    /// Returns the states of all links whose records are in a zone.
    func links(in zone: Int64) throws -> [LinkRow] {
        try transaction.statement("SELECT \(Self.columns) FROM STRATUS_LINK WHERE ZZONE = ? ORDER BY Z_PK").all(
            zone, row: Self.link)
    }

    /// Returns links that wait for export, in the order in which they came.
    func pendingLinks(in zone: Int64, limit: Int) throws -> [LinkRow] {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_LINK WHERE ZZONE = ? AND \(Self.canBeSent) ORDER BY Z_PK LIMIT ?"
        ).all(zone, limit, row: Self.link)
    }

    /// Returns links of all zones that wait for export, also those that cannot be sent.
    func waitingLinks(limit: Int) throws -> [LinkRow] {
        try transaction.statement(
            "SELECT \(Self.columns) FROM STRATUS_LINK WHERE ZPENDING != 0 ORDER BY Z_PK LIMIT ?"
        ).all(limit, row: Self.link)
    }

    /// Writes the state of a link.
    func put(_ link: LinkRow) throws {
        try transaction.statement(
            """
            INSERT INTO STRATUS_LINK (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (ZZONE, ZNAME) DO UPDATE SET ZRELATIONSHIP = excluded.ZRELATIONSHIP,
            ZFIRST = excluded.ZFIRST, ZSECOND = excluded.ZSECOND, ZSERVER = excluded.ZSERVER,
            ZPENDING = excluded.ZPENDING, ZREVISION = excluded.ZREVISION, ZREFUSED = excluded.ZREFUSED,
            ZISLISTED = excluded.ZISLISTED, ZISAPPLIED = excluded.ZISAPPLIED
            """
        ).run(
            link.relationship, link.zone, link.name, link.first, link.second, link.export.server.map { Array($0) },
            link.export.pending.rawValue, link.export.revision, link.export.refused, link.export.isListed,
            link.isApplied)
    }

    /// Forgets a link.
    func deleteLink(named name: String, in zone: Int64) throws {
        try transaction.statement("DELETE FROM STRATUS_LINK WHERE ZZONE = ? AND ZNAME = ?").run(zone, name)
    }

    private static func link(_ row: SQLiteRow) -> LinkRow {
        LinkRow(
            relationship: row.text(0) ?? "", zone: row.integer(1) ?? 0, name: row.text(2) ?? "",
            first: row.text(3) ?? "", second: row.text(4) ?? "",
            export: ExportState(
                server: row.blob(5).map { Data($0) },
                pending: PendingExport(rawValue: row.integer(6) ?? 0) ?? .nothing, revision: row.integer(7) ?? 0,
                refused: row.integer(8), isListed: row.integer(9) == 1),
            isApplied: row.integer(10) == 1)
    }
}
