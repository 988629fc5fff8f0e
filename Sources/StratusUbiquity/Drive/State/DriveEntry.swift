import Foundation
import Glibc
import StratusCloudModel

/// The place of an item: the name of its folder's record, empty for the root folder, and its name there.
struct DrivePlace: Codable, Hashable, Sendable {
    var folder: String
    var name: String

    /// Names of different Unicode forms are different names to Linux, though they are equal strings.
    static func == (one: DrivePlace, other: DrivePlace) -> Bool {
        one.folder == other.folder && one.name.utf8.elementsEqual(other.name.utf8)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(folder)
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

/// The facts that show whether a file was written: its identity, size and time. Writes that happen within a tick of the
/// system's clock are distinguished by waiting for the next one (``settles``) before a stamp is relied on.
struct DriveStamp: Codable, Hashable, Sendable {
    /// The time of two ticks of a file system's clock, in nanoseconds.
    private static let tick: Int64 = 20_000_000

    var inode: UInt64
    var size: Int64
    /// Nanoseconds since 1970-01-01 UTC; of a package, a number that stands for everything in it.
    var modified: Int64

    /// Nanoseconds after which a further change of the file would have another time.
    var settles: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let (age, isFar) = (Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
            .subtractingReportingOverflow(modified)
        return !isFar && age >= 0 && age < Self.tick ? Self.tick - age : 0
    }
}

/// An item as three trees know it: the server's, this machine's, and the one that both agreed on last.
struct DriveEntry: Codable, Hashable, Sendable {
    /// The properties that all trees share.
    struct Shape: Codable, Hashable, Sendable {
        var place: DrivePlace
        var kind: FileKind
        var isExecutable = false
        /// The target of a symbolic link.
        var target: String?
    }

    struct Remote: Codable, Hashable, Sendable {
        var shape: Shape
        /// Identifies the bytes; nil for none.
        var checksum: String?
        var size: Int64 = 0
        var version: Int64 = 0
        /// Milliseconds since 1970-01-01 UTC.
        var modified: Int64 = 0
        var isDeleted: Bool { deleted != nil }
        /// Former contents, the latest first.
        var versions: [Version] = []
        /// The numbers of versions in conflict.
        var conflicts: [Int64] = []
        /// Whether other people were given the item.
        var isShared = false
        /// Milliseconds since 1970-01-01 UTC; nil if the item is not in Recently Deleted.
        var deleted: Int64?
        /// The change tag of the record, to save it; nil in the state of an earlier version.
        var changeTag: String?
        /// An archive of the record without its fields, which earlier versions kept in the place of the change tag.
        var systemFields: Data?
    }

    /// A former content.
    struct Version: Codable, Hashable, Sendable {
        var number: Int64
        var size: Int64
        /// Milliseconds since 1970-01-01 UTC.
        var modified: Int64
        var device: String?
        /// Identifies the bytes.
        var checksum: String?
    }

    /// The upload of a large content.
    struct Upload: Codable, Hashable, Sendable {
        /// Identifies the bytes.
        var checksum: String
        /// Where the bytes go.
        var address: String
    }

    struct Local: Codable, Hashable, Sendable {
        var shape: Shape
        var stamp: DriveStamp
        /// A placeholder stands for it.
        var isPlaceholder = false
        /// When the item was created, in nanoseconds since 1970-01-01 UTC; 0 if that is not known. Tells it apart from a
        /// later one to which the file system gave the same identity.
        var born: Int64 = 0
    }

    struct Synced: Codable, Hashable, Sendable {
        var shape: Shape
        var checksum: String?
        var version: Int64 = 0
        /// The stamp of the local file or package with the content; nil for folders, links and placeholders.
        var stamp: DriveStamp?
    }

    /// The name of the record.
    let id: String
    var remote: Remote?
    var local: Local?
    var synced: Synced?
    /// Whether the content always stays on this device.
    var isPinned = false
    /// Whether somebody has asked for the content, which is not on this device.
    var isWanted = false
    /// The path in the container of the file that has copies of the contents in conflict; nil if there are none.
    var conflictsAt: String?
    /// The upload of a content that has begun; nil if there is none.
    var upload: Upload?

    init(id: String) { self.id = id }

    /// Whether somebody wrote the local file since it was synchronized.
    var isEdited: Bool {
        guard let local, !local.isPlaceholder, local.shape.kind.hasContent else { return false }
        return synced?.stamp != local.stamp
    }

    /// Whether the content stays on this device, or is to come here.
    var isKeptHere: Bool { isPinned || isWanted }

    /// Whether the server has everything of the item that this device has.
    var isUploaded: Bool { remote != nil && synced != nil && !isEdited && local?.shape == synced?.shape }

    /// Whether there are copies of contents in conflict that the server does not have any more, as its zone was deleted.
    var hasOrphanedCopies: Bool { conflictsAt != nil && remote == nil && synced == nil }

    /// Whether contents of devices that did not know of each other wait to be chosen from.
    var hasConflict: Bool { remote?.conflicts.isEmpty == false }

    /// Whether somebody moved the item to another folder here.
    var isMovedOut: Bool { local?.shape.place.folder != synced?.shape.place.folder }

    /// Whether the server has another content than the one that was synchronized.
    var isNewer: Bool {
        guard let remote, remote.shape.kind.hasContent else { return false }
        return synced.map { $0.checksum != remote.checksum } ?? true
    }
}
