import Foundation
import StratusCoreData
import StratusLogging

/// Writes to the standard error what the mirrors of the process do, for whoever looks for a fault. Values of objects
/// and records are not written on any level, because they may be private.
enum MirroringDebug {
    /// How much is written. Each level has what those before it have.
    enum Level: Int {
        /// Events of setup, import and export, and calls that share objects, with their errors.
        case events = 1
        /// Batches, answers, pages, conflicts, accounts, zones and moved objects, with the names of records.
        case batches
        /// The names of the changed fields of each record.
        case records
    }

    /// The user default that the program argument `-com.apple.CoreData.CloudKitDebug 1` sets as well.
    static let defaultsKey = "com.apple.CoreData.CloudKitDebug"
    static let variable = "STRATUS_MIRRORING_DEBUG"

    /// The level of the process; nil if nothing is written.
    static let level = level(
        default: UserDefaults.standard.integer(forKey: defaultsKey),
        variable: ProcessInfo.processInfo.environment[variable])

    private static let log = Logger(subsystem: "com.apple.coredata", category: "cloudkit")

    /// Returns the level of a user default and an environment variable, of which the greater one counts. A number beyond
    /// the levels stands for the last one.
    static func level(default number: Int, variable text: String?) -> Level? {
        Level(rawValue: min(max(number, text.flatMap { Int($0) } ?? 0), Level.records.rawValue))
    }

    /// Whether something of a level is written.
    static func writes(_ level: Level) -> Bool { level.rawValue <= (self.level?.rawValue ?? 0) }

    /// Writes a line about a store. Its text is not made unless the level is written.
    static func write(_ level: Level, _ store: NSPersistentStore, _ text: @autoclosure () -> String) {
        guard writes(level) else { return }
        let name = store.url?.lastPathComponent ?? store.identifier ?? ""
        log.notice("\(name, privacy: .public): \(text(), privacy: .public)")
    }

    /// Returns the text of an error, with its domain and code.
    static func text(_ error: any Error) -> String {
        let details = error as NSError
        return "\(details.domain) \(details.code), \(error.localizedDescription)"
    }
}
