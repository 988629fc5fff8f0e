import FoundationEssentials
import Glibc

/// How far a migration is: what there is to fetch, how much of it is on this disk, and what was saved. Written after each
/// page, so that an interrupted one goes on behind it.
struct MigrationState: Codable, Sendable {
    /// Some records of the source: a type, or a zone.
    struct Unit: Codable, Sendable {
        /// `public` or `private`
        var scope: String
        /// A custom zone; nil for a type of the default zone.
        var zone: String?
        var recordType: String?
        /// In the working directory.
        var file: String
        /// Bytes of the file that count.
        var length: Int64 = 0
        var records = 0
        /// Where the source goes on; nil at the beginning.
        var marker: String?
        /// Whether it began anew once, since the source did not know its marker any more.
        var hasBegunAnew: Bool?
        var isFetched = false
        var isImported = false
        /// Records that the target refused the last time.
        var failed = 0

        var title: String { zone.map { "\(scope) zone '\($0)'" } ?? "\(scope) records of type '\(recordType ?? "")'" }
    }

    /// Something that was not carried.
    struct LeftOut: Codable, Hashable, Sendable {
        /// `share`, `asset`, `records` or `record`.
        var what: String
        var place: String
        var reason: String
    }

    /// From where to where; another one may not go on with this.
    var identity: String
    var isPlanned = false
    var units: [Unit] = []
    var assets = 0
    var assetBytes: Int64 = 0
    var leftOut: [LeftOut] = []
    var leftOutCount = 0

    mutating func leave(_ what: String, _ place: String, _ reason: String) {
        leftOutCount += 1
        if leftOut.count < MigrationLimits.listed { leftOut.append(LeftOut(what: what, place: place, reason: reason)) }
    }

    static func read(_ path: String) throws(ToolError) -> MigrationState? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            return try JSONDecoder().decode(
                MigrationState.self, from: Data(try AtomicFile.read(path, limit: MigrationLimits.stateSize)))
        } catch let error as ToolError {
            throw error
        } catch {
            throw ToolError("\(path) is not the state of a migration; name another directory for --work")
        }
    }

    func write(_ path: String) throws(ToolError) {
        let bytes: [UInt8]
        do { bytes = Array(try JSONEncoder().encode(self)) } catch { throw ToolError("\(path): \(error)") }
        try AtomicFile.replace(path, with: bytes)
        AtomicFile.syncDirectory(of: path)
    }
}
