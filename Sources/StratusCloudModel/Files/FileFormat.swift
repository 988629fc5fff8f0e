/// How files and folders are stored: records of a zone of the private database.
public enum FileFormat {
    /// The zone of all items.
    public static let zoneName = "_files"
    /// The type of all records in it.
    public static let recordType = "StratusFile"

    /// STRING, the name in the folder.
    public static let name = "name"
    /// REFERENCE with `DELETE_SELF`, the folder; absent in the root folder, and in Recently Deleted.
    public static let folder = "folder"
    /// STRING, a ``FileKind``. Never changes.
    public static let kind = "kind"
    /// INT64, bytes of the content. Set by the server.
    public static let size = "size"
    /// ASSET, the content of a file or package; absent while it is empty.
    public static let content = "content"
    /// INT64, grows with each change of the content. Set by the server.
    public static let contentVersion = "contentVersion"
    /// TIMESTAMP, when the file was created on the device.
    public static let created = "created"
    /// TIMESTAMP, when the content was changed on the device.
    public static let modified = "modified"
    /// INT64, 1 if the file may be executed.
    public static let executable = "executable"
    /// STRING, where a symbolic link points. Never followed.
    public static let target = "target"
    /// TIMESTAMP, since when the item is in Recently Deleted. Any value deletes an item, none restores it.
    public static let deleted = "deleted"
    /// STRING, the name of the folder's record that the item was deleted from. Set by the server.
    public static let deletedFrom = "deletedFrom"
    /// ASSET LIST, former contents, the latest first. Set by the server; a client may only clear it.
    public static let versions = "versions"
    /// INT64 LIST, what ``contentVersion`` was of each former content. Set by the server.
    public static let versionNumbers = "versionNumbers"
    /// TIMESTAMP LIST, what ``modified`` was of each former content. Set by the server.
    public static let versionModified = "versionModified"
    /// TIMESTAMP LIST, until when each former content is kept. Set by the server.
    public static let versionExpires = "versionExpires"
    /// STRING LIST, which device wrote each former content, as far as it said so. Set by the server.
    public static let versionDevices = "versionDevices"
    /// INT64 LIST, the former contents that are in conflict with the current one, by number. Set by the server; a client
    /// resolves conflicts by leaving numbers out.
    public static let conflicts = "conflicts"
    /// INT64, in requests only: the ``contentVersion`` that the client's content was made from. If it is not the current
    /// one, the two contents are in conflict, and both are kept.
    public static let base = "base"
    /// STRING, which device wrote the content.
    public static let device = "device"
    /// STRING LIST, properties that WebDAV clients set, as XML elements.
    public static let properties = "properties"
}

/// What an item is.
public enum FileKind: String, Codable, Hashable, Sendable, CaseIterable {
    case file
    case folder
    /// A symbolic link.
    case link
    /// A directory that is one document to the user, such as an RTFD. Its content is a zip archive.
    case package

    /// Whether items of the kind have bytes.
    public var hasContent: Bool { self == .file || self == .package }
}
