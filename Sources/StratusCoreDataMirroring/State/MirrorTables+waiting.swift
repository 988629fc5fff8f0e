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
        try waiting("ZSOURCE", source, zone)
    }

    /// Returns the references that wait for a record.
    func waiting(for target: String, in zone: Int64) throws -> [WaitingReference] {
        try waiting("ZTARGET", target, zone)
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

    /// Forgets the references of a record.
    func deleteWaiting(of source: String, in zone: Int64) throws {
        try transaction.statement("DELETE FROM STRATUS_WAITING WHERE ZZONE = ? AND ZSOURCE = ?").run(zone, source)
    }

    private func waiting(_ column: String, _ name: String, _ zone: Int64) throws -> [WaitingReference] {
        try transaction.statement(
            "SELECT ZSOURCE, ZRELATIONSHIP, ZTARGET FROM STRATUS_WAITING WHERE ZZONE = ? AND \(column) = ?"
        ).all(zone, name) { row in
            WaitingReference(
                zone: zone, source: row.text(0) ?? "", relationship: row.text(1) ?? "", target: row.text(2) ?? "")
        }
    }
}
