import Foundation
import StratusCloudModel
import StratusUbiquity

/// An item as commands print it.
struct DriveItemReport: Encodable {
    var path: String
    var recordName: String?
    var kind: String
    var size: Int64
    /// As ISO 8601.
    var modified: String
    var isDownloaded: Bool
    var isPinned: Bool
    var isUploaded: Bool
    var hasConflict: Bool
    var isShared: Bool
    /// When it was deleted, as ISO 8601.
    var deleted: String?

    init(_ item: DriveItem) {
        path = item.path
        recordName = item.recordName
        kind = item.kind.rawValue
        size = item.size
        modified = DateText.text(item.modified)
        isDownloaded = item.isDownloaded
        isPinned = item.isPinned
        isUploaded = item.isUploaded
        hasConflict = item.hasConflict
        isShared = item.isShared
        deleted = item.deleted.map { DateText.text($0) }
    }

    /// One line: date, size, name, and what is special about the item.
    var line: String {
        let marks = [
            isDownloaded ? nil : "not downloaded", isUploaded ? nil : "not uploaded", isPinned ? "pinned" : nil,
            hasConflict ? "in conflict" : nil, isShared ? "shared" : nil, deleted.map { "deleted \($0)" },
        ].compactMap(\.self)
        let name = TerminalText.shown(path) + (kind == FileKind.folder.rawValue ? "/" : "")
        return "\(modified)  \(size)  \(name)" + (marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))")
    }
}

/// A version of a file as commands print it.
struct DriveVersionReport: Encodable {
    var version: String
    var size: Int64
    /// As ISO 8601.
    var modified: String
    var device: String?
    var isConflict: Bool

    init(_ version: DriveVersion) {
        self.version = version.identifier
        size = version.size
        modified = DateText.text(version.modified)
        device = version.device
        isConflict = version.isConflict
    }

    var line: String {
        "\(version)  \(modified)  \(size)" + (device.map { "  \(TerminalText.shown($0))" } ?? "")
            + (isConflict ? "  (in conflict)" : "")
    }
}

extension DateText {
    static func text(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        return text(milliseconds: Int64(exactly: milliseconds) ?? 0)
    }
}
