/// A file, folder or symbolic link, as its record says.
public struct FileItem: Hashable, Sendable {
    /// A former content of a file.
    public struct Version: Hashable, Sendable {
        /// The bytes.
        public let content: Asset
        /// The content version that it was.
        public let number: Int64
        /// When it was changed on the device, in milliseconds since 1970-01-01 UTC.
        public let modified: Int64
        /// Until when it is kept, likewise, unless it is in conflict.
        public var expires: Int64
        /// The device that wrote it; nil if it did not say.
        public let device: String?
        /// Whether the version has an unresolved conflict with the current content.
        public var isConflict: Bool

        /// Makes a version.
        public init(
            content: Asset, number: Int64, modified: Int64, expires: Int64, device: String? = nil,
            isConflict: Bool = false
        ) {
            self.content = content
            self.number = number
            self.modified = modified
            self.expires = expires
            self.device = device
            self.isConflict = isConflict
        }
    }

    /// The name of the record, which never changes.
    public let id: String
    /// The state of the record.
    public let changeTag: String
    /// The name in the folder.
    public let name: String
    /// The record name of the folder; nil for the root folder.
    public let folder: String?
    /// What it is.
    public let kind: FileKind
    /// Bytes of the content, or of the target of a link.
    public let size: Int64
    /// Nil for folders, links and files without a byte that were never written.
    public let content: Asset?
    /// Grows with each change of the content.
    public let contentVersion: Int64
    /// Milliseconds since 1970-01-01 UTC.
    public let created: Int64
    /// Milliseconds since 1970-01-01 UTC.
    public let modified: Int64
    /// Whether a file may be executed.
    public let isExecutable: Bool
    /// Where a symbolic link points.
    public let target: String?
    /// Since when the item is in Recently Deleted, in milliseconds since 1970-01-01 UTC.
    public let deleted: Int64?
    /// The folder that it was deleted from; nil for the root folder.
    public let deletedFrom: String?
    /// The latest first.
    public let versions: [Version]
    /// What WebDAV clients set; see ``FileFormat/properties``.
    public let properties: [String]
    /// The record name of the share that the item is the root of.
    public let share: String?
    /// The short GUID in the link of that share.
    public let shortGUID: String?
    /// The short GUID of the item's share; nil if it is not shared by itself.
    public var sharedGUID: String? { share == nil ? nil : shortGUID }

    /// Nil for a record that is no item.
    public init?(_ record: Record) {
        self.init(
            id: record.recordName, recordType: record.recordType, changeTag: record.recordChangeTag, record.fields,
            saved: record.modified.timestamp, share: record.share?.recordName, shortGUID: record.shortGUID)
    }

    /// - Parameters:
    ///   - saved: When the record was saved, for dates that it lacks.
    ///   - share: The record name of the share that the record is the root of.
    ///   - shortGUID: The short GUID in the link of that share.
    public init?(
        id: String, recordType: String, changeTag: String, _ fields: FieldMap, saved: Int64, share: String? = nil,
        shortGUID: String? = nil
    ) {
        var fields = fields
        fields.unpack()
        guard recordType == FileFormat.recordType, let name = fields.string(FileFormat.name),
            let kind = fields.string(FileFormat.kind).flatMap(FileKind.init)
        else { return nil }
        self.id = id
        self.changeTag = changeTag
        self.name = name
        self.kind = kind
        self.share = share
        self.shortGUID = shortGUID
        folder = fields.reference(FileFormat.folder)?.recordName
        size = fields.integer(FileFormat.size) ?? 0
        content = fields.asset(FileFormat.content)
        contentVersion = fields.integer(FileFormat.contentVersion) ?? 0
        created = fields.time(FileFormat.created) ?? saved
        modified = fields.time(FileFormat.modified) ?? saved
        isExecutable = (fields.integer(FileFormat.executable) ?? 0) != 0
        target = fields.string(FileFormat.target)
        deleted = fields.time(FileFormat.deleted)
        deletedFrom = fields.string(FileFormat.deletedFrom)
        versions = fields.fileVersions
        properties = fields.list(FileFormat.properties).compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
    }
}

extension FieldMap {
    /// The former contents of a file.
    public var fileVersions: [FileItem.Version] {
        let contents = list(FileFormat.versions)
        let (numbers, modified, expires) = (
            list(FileFormat.versionNumbers), list(FileFormat.versionModified), list(FileFormat.versionExpires)
        )
        guard contents.count == numbers.count, contents.count == modified.count, contents.count == expires.count else {
            return []
        }
        let conflicts = Set(list(FileFormat.conflicts))
        let devices = list(FileFormat.versionDevices)
        return contents.indices.compactMap { index in
            guard case .asset(let content) = contents[index], case .int64(let number) = numbers[index],
                case .timestamp(let modified) = modified[index], case .timestamp(let expires) = expires[index]
            else { return nil }
            var device: String?
            if devices.indices.contains(index), case .string(let name) = devices[index], !name.isEmpty { device = name }
            return FileItem.Version(
                content: content, number: number, modified: modified.milliseconds, expires: expires.milliseconds,
                device: device, isConflict: conflicts.contains(.int64(number)))
        }
    }
}
