import StratusCloudModel

/// Changes of an item. What is nil stays as it is.
public struct FileChanges: Hashable, Sendable {
    /// The name in the folder.
    public var name: String?
    /// The folder that the item is in.
    public var folder: FileFolder?
    /// Milliseconds since 1970-01-01 UTC.
    public var created: Int64?
    /// Milliseconds since 1970-01-01 UTC.
    public var modified: Int64?
    /// Whether a file may be executed.
    public var isExecutable: Bool?
    /// What WebDAV clients set; see ``FileFormat/properties``.
    public var properties: [String]?
    /// An asset with its receipt, or a former content.
    var content: Asset?
    var isDeleted: Bool?

    /// Makes changes; without any, nothing changes.
    public init(
        name: String? = nil, folder: FileFolder? = nil, created: Int64? = nil, modified: Int64? = nil,
        isExecutable: Bool? = nil, properties: [String]? = nil
    ) {
        self.name = name
        self.folder = folder
        self.created = created
        self.modified = modified
        self.isExecutable = isExecutable
        self.properties = properties
    }

    /// The fields that an operation sends.
    var fields: [(name: String, field: FieldInput)] {
        var fields: [(name: String, field: FieldInput)] = []
        func add(_ name: String, _ value: ScalarValue?) {
            fields.append((name, value.map { FieldInput(Field(.scalar($0))) } ?? FieldInput(.null)))
        }
        func time(_ milliseconds: Int64) -> ScalarValue { .timestamp(Timestamp(milliseconds: milliseconds)) }
        if let name { add(FileFormat.name, .string(name)) }
        if let folder {
            let reference = folder.recordName.map { Reference(recordName: $0, action: .deleteSelf) }
            add(FileFormat.folder, reference.map(ScalarValue.reference))
        }
        if let created { add(FileFormat.created, time(created)) }
        if let modified { add(FileFormat.modified, time(modified)) }
        if let isExecutable { add(FileFormat.executable, isExecutable ? .int64(1) : nil) }
        if let properties {
            let list = FieldInput(Field(.list(of: .string, elements: properties.map(ScalarValue.string))))
            fields.append((FileFormat.properties, properties.isEmpty ? FieldInput(.null) : list))
        }
        if let content { add(FileFormat.content, .asset(content)) }
        // The server sets the time.
        if let isDeleted { add(FileFormat.deleted, isDeleted ? time(0) : nil) }
        return fields
    }

    /// An operation that makes an item.
    func creation(of kind: FileKind, named recordName: String, target: String? = nil) -> RecordOperation {
        var fields = fields
        fields.append((FileFormat.kind, FieldInput(Field(.scalar(.string(kind.rawValue))))))
        if let target { fields.append((FileFormat.target, FieldInput(Field(.scalar(.string(target)))))) }
        return RecordOperation(
            .create, RecordInput(recordName: recordName, recordType: FileFormat.recordType, fields: fields))
    }

    /// An operation that changes an item.
    /// - Parameter changeTag: Of the state that must still be the item's; nil changes any.
    func update(of recordName: String, ifTagged changeTag: String? = nil) -> RecordOperation {
        RecordOperation(
            changeTag == nil ? .forceUpdate : .update,
            RecordInput(
                recordName: recordName, recordType: FileFormat.recordType, recordChangeTag: changeTag, fields: fields))
    }
}
