import StratusCloudModel
import StratusCloudStore

/// The zone of an account's files and folders. See ``FileFormat``.
enum FilesZone: ReservedZone {
    static let zonesPerDatabase = 1

    static let recordTypes = [
        RecordTypeSchema(
            name: FileFormat.recordType,
            fields: Dictionary(uniqueKeysWithValues: fieldTypes.map { ($0, field($0, $1)) }),
            systemFields: [.recordName: FieldIndex(kinds: .queryable, number: ReservedZones.indexNumber(100))])
    ]

    private static let fieldTypes: [(String, FieldType)] = [
        (FileFormat.name, FieldType(.string)),
        (FileFormat.folder, FieldType(.reference)),
        (FileFormat.kind, FieldType(.string)),
        (FileFormat.size, FieldType(.int64)),
        (FileFormat.content, FieldType(.asset)),
        (FileFormat.contentVersion, FieldType(.int64)),
        (FileFormat.created, FieldType(.timestamp)),
        (FileFormat.modified, FieldType(.timestamp)),
        (FileFormat.executable, FieldType(.int64)),
        (FileFormat.target, FieldType(.string)),
        (FileFormat.deleted, FieldType(.timestamp)),
        (FileFormat.deletedFrom, FieldType(.string)),
        (FileFormat.versions, FieldType(.asset, isList: true)),
        (FileFormat.versionNumbers, FieldType(.int64, isList: true)),
        (FileFormat.versionModified, FieldType(.timestamp, isList: true)),
        (FileFormat.versionExpires, FieldType(.timestamp, isList: true)),
        (FileFormat.versionDevices, FieldType(.string, isList: true)),
        (FileFormat.conflicts, FieldType(.int64, isList: true)),
        (FileFormat.base, FieldType(.int64)),
        (FileFormat.device, FieldType(.string)),
        (FileFormat.properties, FieldType(.string, isList: true)),
    ]

    /// Clients list a folder with a query for its reference, and Recently Deleted with one for the time.
    private static func field(_ name: String, _ type: FieldType) -> FieldSchema {
        let index: FieldIndex? =
            switch name {
            case FileFormat.folder: FieldIndex(kinds: .queryable, number: ReservedZones.indexNumber(101))
            case FileFormat.deleted: FieldIndex(kinds: .queryable, number: ReservedZones.indexNumber(102))
            default: nil
            }
        return FieldSchema(name: name, type: type, index: index)
    }

    /// Properties, and some KiB for everything else.
    static let recordSize = FileLimits.propertiesSize + 32_768

    /// The limit of a folder's items takes its place.
    static let deleteSelfSources = Int.max

    static let hierarchy: (any RecordHierarchy.Type)? = FolderHierarchy.self

    static func owns(_ zoneName: String) -> Bool { zoneName == FileFormat.zoneName }

    static func settled(
        _ fields: FieldMap, of input: RecordInput, over stored: StoredRecord?, now: Int64
    ) throws(CloudError) -> FieldMap {
        var settling = FileFields(fields, of: input, over: stored?.fields, now: now)
        try settling.settle()
        if let stored, stored.isDeletedFile, settling.fields[FileFormat.deleted] != nil, input.bringsContent {
            throw CloudError(
                .conflict,
                "record '\(stored.recordName)' is in Recently Deleted; clear field '\(FileFormat.deleted)' with the "
                    + "content, or save it in a new record",
                serverRecord: stored.record(in: CloudService.filesZoneID))
        }
        return settling.fields
    }

    /// A client goes back to a former content without uploading it.
    static func knownAssets(for field: String, in stored: StoredRecord) -> [Asset] {
        field == FileFormat.content ? stored.fields.fileVersions.map(\.content) : []
    }

    static func refusals(of batch: ReservedZoneBatch) throws -> [Int: CloudError] {
        var check = FileTreeCheck(batch)
        try check.run()
        return check.refusals
    }

    static let entryTags: [Keyspace.Tag] = [.fileName, .fileDue]

    static func entries(of record: StoredRecord, in zone: ZoneNumber) throws -> [StoreEntry] {
        try FileIndex.entries(of: record, in: zone)
    }

    static func recordName(of tag: Keyspace.Tag, _ key: Key, _ value: [UInt8]) -> String? {
        switch tag {
        case .fileName: String(validating: value, as: UTF8.self)
        case .fileDue: Keyspace.fileDueRecordName(key)
        default: nil
        }
    }

    static func wrote(
        from old: StoredRecord?, to new: StoredRecord?, in zone: ZoneNumber, _ transaction: any WriteTransaction
    ) throws {
        try FileIndex.update(from: old, to: new, in: zone, transaction)
    }
}

extension RecordInput {
    /// Whether a client sends the content of a file. An import brings what another server had.
    fileprivate var bringsContent: Bool {
        history == nil && fields.contains { $0.name == FileFormat.content && !$0.field.value.isNull }
    }
}
