import Foundation
import StratusSQLite

/// A fault that is put in, to see that the simulation finds it: what a device that synchronizes does not know any more.
package enum MirrorMutation: String, CaseIterable, Sendable {
    /// The objects and links that wait for export.
    case forgetsChanges
    /// The names of records.
    case forgetsNames
    /// The values that objects and records had last in common.
    case forgetsBases
    /// The records that moved objects have left behind.
    case forgetsMoves

    private var statements: [String] {
        switch self {
        case .forgetsChanges: ["UPDATE STRATUS_RECORD SET ZPENDING = 0", "UPDATE STRATUS_LINK SET ZPENDING = 0"]
        case .forgetsNames: ["DELETE FROM STRATUS_RECORD WHERE ZPENDING = 0"]
        case .forgetsMoves: ["DELETE FROM STRATUS_FORMER"]
        case .forgetsBases: ["UPDATE STRATUS_RECORD SET ZBASE = NULL"]
        }
    }

    func apply(to file: URL) throws {
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        let connection = try SQLiteConnection(path: file.path)
        for statement in statements { try connection.execute(statement) }
    }
}
