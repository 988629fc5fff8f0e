import Foundation
import StratusCloudModel

/// A file, folder, link or package of a container, as its agent knows it.
package struct DriveItem: Codable, Hashable, Sendable {
    /// The path in the container; for a deleted item the path that it had.
    package var path: String
    /// The name of the item's record; nil if the server does not know the item yet.
    package var recordName: String?
    package var kind: FileKind
    /// The size of the content in bytes, also where the content is not on this device; 0 for a folder.
    package var size: Int64
    /// When the content was last changed.
    package var modified: Date
    /// Whether the current content is on this device.
    package var isDownloaded: Bool
    /// Whether the content always stays on this device.
    package var isPinned: Bool
    /// Whether the server has what is on this device.
    package var isUploaded: Bool
    /// Whether the item has versions in conflict.
    package var hasConflict: Bool
    /// Whether other people were given the item, or a folder that it is in.
    package var isShared: Bool
    /// When the item was deleted; nil if it was not.
    package var deleted: Date?

    package init(
        path: String, recordName: String?, kind: FileKind, size: Int64 = 0, modified: Date, isDownloaded: Bool = true,
        isPinned: Bool = false, isUploaded: Bool = true, hasConflict: Bool = false, isShared: Bool = false,
        deleted: Date? = nil
    ) {
        self.path = path
        self.recordName = recordName
        self.kind = kind
        self.size = size
        self.modified = modified
        self.isDownloaded = isDownloaded
        self.isPinned = isPinned
        self.isUploaded = isUploaded
        self.hasConflict = hasConflict
        self.isShared = isShared
        self.deleted = deleted
    }
}

/// A version of a file that the server keeps beside the current one.
package struct DriveVersion: Codable, Hashable, Sendable {
    /// What the version is asked for by.
    package var identifier: String
    /// The size of its content in bytes.
    package var size: Int64
    /// When its content was last changed.
    package var modified: Date
    /// The name of the device that wrote it; nil if it is not known.
    package var device: String?
    /// Whether it is in conflict with the current version.
    package var isConflict: Bool

    package init(identifier: String, size: Int64, modified: Date, device: String? = nil, isConflict: Bool = false) {
        self.identifier = identifier
        self.size = size
        self.modified = modified
        self.device = device
        self.isConflict = isConflict
    }
}

/// The record on the server that stands for an item.
package struct DriveRecord: Codable, Hashable, Sendable {
    package var recordName: String
    /// The number of the item's content, which each new content raises.
    package var contentVersion: Int64

    package init(recordName: String, contentVersion: Int64) {
        self.recordName = recordName
        self.contentVersion = contentVersion
    }
}
