import Foundation
import StratusCoreData

/// A change that waits for export.
enum PendingExport: Int64, Sendable {
    case nothing = 0
    case save = 1
    case delete = 2
}

/// The part of the state that objects and links have in common.
struct ExportState: Sendable {
    /// The record of an object as the server had it last, as a snapshot or an archive, or the change tag of a link; nil
    /// if the server does not have it.
    var server: Data?
    var pending = PendingExport.nothing
    /// Rises with each change, so that an answer to an older change does not settle a newer one.
    var revision: Int64 = 0
    /// The revision that the server refused. It is not sent again before the next start.
    var refused: Int64?
    /// Whether the record has come since the listing of its zone began.
    var isListed = false

    /// Notes a change.
    mutating func note(_ change: PendingExport) {
        pending = change
        revision += 1
    }
}

/// The state of an object.
struct RecordRow: Sendable {
    var key: StoredObjectKey
    var zone: Int64
    /// The name of the record.
    var name: String
    var export = ExportState()
    /// The values that the object and the record had last in common.
    var base: MirroredBase?
    /// The time of the last local save that changed the object.
    var changed: Date
}
