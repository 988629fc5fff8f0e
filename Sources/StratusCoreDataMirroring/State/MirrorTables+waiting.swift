import StratusCoreData
import StratusSQLite

/// A reference to a record that has not arrived.
struct WaitingReference: Hashable, Sendable {
    var zone: Int64
    /// The name of the record that has the reference.
    var source: String
    var relationship: String
    /// The name of the record that is referred to.
    var target: String
}

// References that wait for their targets.
extension MirrorTables {
    /// Returns the references that a record has to others that have not arrived.
    func waiting(of source: String, in zone: Int64) throws -> [WaitingReference] {
        try transaction.statement(
            "SELECT ZZONE, ZSOURCE, ZRELATIONSHIP, ZTARGET FROM STRATUS_WAITING WHERE ZZONE = ? AND ZSOURCE = ?"
        ).all(zone, source, row: Self.reference)
    }

    /// Returns the references of all zones that wait for a record.
    func waiting(for target: String) throws -> [WaitingReference] {
        try transaction.statement(
            "SELECT ZZONE, ZSOURCE, ZRELATIONSHIP, ZTARGET FROM STRATUS_WAITING WHERE ZTARGET = ?"
        ).all(target, row: Self.reference)
    }

    func put(_ reference: WaitingReference) throws {
        try transaction.statement(
            "INSERT OR REPLACE INTO STRATUS_WAITING (ZZONE, ZSOURCE, ZRELATIONSHIP, ZTARGET) VALUES (?, ?, ?, ?)"
        ).run(reference.zone, reference.source, reference.relationship, reference.target)
    }

    func delete(_ reference: WaitingReference) throws {
        try transaction.statement(
            "DELETE FROM STRATUS_WAITING WHERE ZZONE = ? AND ZSOURCE = ? AND ZRELATIONSHIP = ?"
        ).run(reference.zone, reference.source, reference.relationship)
    }

    private static func reference(_ row: SQLiteRow) -> WaitingReference {
        WaitingReference(
            zone: row.integer(0) ?? 0, source: row.text(1) ?? "", relationship: row.text(2) ?? "",
            target: row.text(3) ?? "")
    }
}
