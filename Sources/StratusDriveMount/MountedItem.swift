import Foundation
import StratusCloudKit
import StratusCloudModel

/// A file, folder or link as the mount shows it, and what of it the server does not have yet.
struct MountedItem: Codable, Hashable, Sendable {
    /// The parts of an item that the server does not have yet.
    struct Pending: OptionSet, Codable, Hashable, Sendable {
        let rawValue: UInt8

        /// Name and folder.
        static let place = Pending(rawValue: 1)
        /// Modification time and executable bit.
        static let attributes = Pending(rawValue: 2)
        /// The bytes.
        static let content = Pending(rawValue: 4)
        /// The move to Recently Deleted.
        static let deletion = Pending(rawValue: 8)
        /// The record itself.
        static let creation = Pending(rawValue: 16)
        /// The deletion for good, of a file whose content became another file's.
        static let purge = Pending(rawValue: 32)
    }

    /// The root folder's identifier, which is no record's.
    static let root = ""

    /// The name of the record.
    let id: String
    var name: String
    /// The identifier of the folder.
    var folder: String
    let kind: FileKind
    var size: Int64 = 0
    /// Milliseconds since 1970-01-01 UTC.
    var created: Int64
    /// Milliseconds since 1970-01-01 UTC.
    var modified: Int64
    var isExecutable = false
    var target: String?
    /// The checksum of the content on the server; nil for an empty file that was never written.
    var checksum: String?
    /// The date at which the server saved the state that is known of the record.
    var saved = Date.distantPast
    /// The file in the cache with bytes that the server does not have yet.
    var unsent: String?
    var pending: Pending = []
    /// Grows with each change on this machine.
    var generation: UInt64 = 0
    /// Whether this mount created the file, so that its record has nothing beside the content.
    var isFresh = false

    private enum CodingKeys: String, CodingKey {
        case id, name, folder, kind, size, created, modified, isExecutable, target, checksum, saved, unsent, pending
    }

    init(id: String = UUID().uuidString, name: String, folder: String, kind: FileKind, at time: Int64) {
        self.id = id
        self.name = name
        self.folder = folder
        self.kind = kind
        created = time
        modified = time
        pending = .creation
    }

    /// Whether it is shown, rather than on its way to Recently Deleted.
    var isShown: Bool { pending.isDisjoint(with: [.deletion, .purge]) }
    var isOnServer: Bool { !pending.contains(.creation) }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
}

// MARK: - Records

extension MountedItem {
    /// The fields that are fetched of each record. Former contents are not.
    static let fields = [
        FileFormat.name, FileFormat.folder, FileFormat.kind, FileFormat.size, FileFormat.content, FileFormat.created,
        FileFormat.modified, FileFormat.executable, FileFormat.target, FileFormat.deleted,
    ]

    /// Reads a record; nil for one that breaks the rules, or is in Recently Deleted.
    init?(_ record: CKRecord) {
        guard record[FileFormat.deleted] == nil, let file = FileRecord(record), file.id != Self.root else { return nil }
        let saved = record.modificationDate ?? .distantPast
        func time(_ field: String) -> Int64 { FileRecord.milliseconds((record[field] as? Date) ?? saved) }
        id = file.id
        name = file.name
        folder = file.folder ?? Self.root
        kind = file.kind
        created = time(FileFormat.created)
        modified = time(FileFormat.modified)
        isExecutable = file.isExecutable
        self.saved = saved
        checksum = file.checksum
        size = file.size
        target = file.target
    }

    /// Takes over what the server has, but for what is pending here.
    mutating func merge(_ server: MountedItem) {
        if pending.isDisjoint(with: [.place, .creation]) { (name, folder) = (server.name, server.folder) }
        if pending.isDisjoint(with: [.attributes, .content, .creation]) {
            (modified, isExecutable) = (server.modified, server.isExecutable)
        }
        if !pending.contains(.content) { size = server.size }
        checksum = server.checksum
        created = server.created
        saved = server.saved
        pending.remove(.creation)
    }

    /// The record that brings what is pending to the server.
    /// - Parameter content: The file with the bytes, if they are pending.
    func record(content: URL?) -> CKRecord {
        let record = CKRecord(recordType: FileFormat.recordType, recordID: FileRecord.recordID(id))
        func set(_ field: String, _ value: (any CKRecordValueProtocol)?) {
            // Only what had a value can be cleared.
            if value == nil { record[field] = "" }
            record[field] = value
        }
        func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
        let isNew = pending.contains(.creation)
        if pending.contains(.deletion) {
            record[FileFormat.deleted] = Date(timeIntervalSince1970: 0)
            return record
        }
        if isNew {
            record[FileFormat.kind] = kind.rawValue
            record[FileFormat.created] = date(created)
            if let target { record[FileFormat.target] = target }
        }
        if isNew || pending.contains(.place) {
            record[FileFormat.name] = name
            if folder != Self.root {
                record[FileFormat.folder] = CKRecord.Reference(
                    recordID: FileRecord.recordID(folder), action: .deleteSelf)
            } else if !isNew {
                set(FileFormat.folder, nil)
            }
        }
        if isNew || !pending.isDisjoint(with: [.attributes, .content]) {
            record[FileFormat.modified] = date(modified)
            if kind == .file { record[FileFormat.executable] = Int64(isExecutable ? 1 : 0) }
        }
        if let content { record[FileFormat.content] = CKAsset(fileURL: content) }
        return record
    }
}
