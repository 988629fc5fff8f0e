import Foundation
import StratusCoreData
import StratusSQLite

/// An event as the tables have it.
struct EventRow: Sendable {
    var identifier: UUID
    var type: Int64
    var start: Date
    var end: Date?
    var succeeded = false
    /// The error without its `userInfo`, of which only the description is kept.
    var error: Failure?

    struct Failure: Sendable {
        var domain: String
        var code: Int
        var text: String
    }
}

// The events of setup, import and export.
extension MirrorTables {
    /// The number of events that are kept.
    static let eventLimit: Int64 = 1_000

    /// Writes an event. Old events make room for new ones.
    func put(_ event: EventRow) throws {
        try transaction.statement(
            """
            INSERT INTO STRATUS_EVENT (ZUUID, ZTYPE, ZSTART, ZEND, ZSUCCEEDED, ZERRORDOMAIN, ZERRORCODE, ZERRORTEXT)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (ZUUID) DO UPDATE SET ZEND = excluded.ZEND, ZSUCCEEDED = excluded.ZSUCCEEDED,
            ZERRORDOMAIN = excluded.ZERRORDOMAIN, ZERRORCODE = excluded.ZERRORCODE, ZERRORTEXT = excluded.ZERRORTEXT
            """
        ).run(
            event.identifier.uuidString, event.type, event.start.timeIntervalSinceReferenceDate,
            event.end?.timeIntervalSinceReferenceDate, event.succeeded, event.error?.domain,
            event.error?.code, event.error?.text)
        try transaction.statement(
            "DELETE FROM STRATUS_EVENT WHERE Z_PK <= (SELECT max(Z_PK) FROM STRATUS_EVENT) - ?"
        ).run(Self.eventLimit)
    }

    /// Returns the events in the order in which they began.
    func events() throws -> [EventRow] {
        try transaction.statement(
            "SELECT ZUUID, ZTYPE, ZSTART, ZEND, ZSUCCEEDED, ZERRORDOMAIN, ZERRORCODE, ZERRORTEXT FROM STRATUS_EVENT "
                + "ORDER BY Z_PK"
        ).all { row in
            EventRow(
                identifier: UUID(uuidString: row.text(0) ?? "") ?? UUID(), type: row.integer(1) ?? 0,
                start: Date(timeIntervalSinceReferenceDate: row.real(2) ?? 0),
                end: row.real(3).map { Date(timeIntervalSinceReferenceDate: $0) }, succeeded: row.integer(4) == 1,
                error: row.text(5).map { domain in
                    EventRow.Failure(domain: domain, code: Int(row.integer(6) ?? 0), text: row.text(7) ?? "")
                })
        }
    }
}
