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
        if let account { try takeDrafts(of: account) }
    }

    /// Whether the name of a user stands for the person whose store this is.
    func isPerson(_ name: String) throws -> Bool { try name == CKCurrentUserDefaultName || name == account() }

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

    /// Tables that have no rows in most stores.
    enum SparseTable: String {
        case links = "STRATUS_LINK"
        case waiting = "STRATUS_WAITING"
        case formers = "STRATUS_FORMER"
    }

    /// Whether a table has rows.
    func hasRows(_ table: SparseTable) throws -> Bool {
        try transaction.statement("SELECT EXISTS (SELECT 1 FROM \(table.rawValue))").first { $0.integer(0) == 1 }
            ?? false
    }

    /// Forgets everything about the cloud but the events, and the zones that are to be deleted when the account is
    /// signed in again.
    func clear(after account: String) throws {
        try keepDrafts(of: account)
        for table in ["STRATUS_RECORD", "STRATUS_LINK", "STRATUS_WAITING", "STRATUS_FORMER"] {
            try transaction.statement("DELETE FROM \(table)").run()
        }
    }
}
