import StratusCloudModel

/// Checks the fields of an item by themselves, and sets those that are the server's.
struct FileFields {
    private(set) var fields: FieldMap
    private let stored: FieldMap?
    private let input: RecordInput
    private let now: Int64

    /// - Parameters:
    ///   - fields: The fields of the record after the operation, as the client wants them.
    ///   - stored: The fields of the record before; nil for a new one.
    init(_ fields: FieldMap, of input: RecordInput, over stored: FieldMap?, now: Int64) {
        self.fields = fields
        self.input = input
        self.stored = stored
        self.now = now
    }

    /// - Throws: `badRequest` naming the field that breaks a rule.
    mutating func settle() throws(CloudError) {
        let kind = try checkedKind()
        guard let name = fields.string(FileFormat.name) else { throw missing(FileFormat.name) }
        try FileName.check(name)
        try checkFields(of: kind)
        try checkProperties()
        settleFolder()
        settleDates()
        // An import brings what another server set.
        guard input.history == nil else { return }
        try settleContent()
        settleDeletion()
    }

    private func missing(_ field: String) -> CloudError {
        CloudError(.badRequest, "field '\(field)' in record '\(FileFormat.recordType)' is missing")
    }

    private func checkedKind() throws(CloudError) -> FileKind {
        guard let text = fields.string(FileFormat.kind) else { throw missing(FileFormat.kind) }
        guard let kind = FileKind(rawValue: text) else {
            let kinds = FileKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            throw CloudError(.badRequest, "field '\(FileFormat.kind)' is none of \(kinds)")
        }
        guard stored == nil || stored?.string(FileFormat.kind) == text else {
            throw CloudError(.badRequest, "field '\(FileFormat.kind)' of an item never changes")
        }
        return kind
    }

    private func checkFields(of kind: FileKind) throws(CloudError) {
        let foreign: [String] =
            switch kind {
            case .file: [FileFormat.target]
            case .package: [FileFormat.target, FileFormat.executable]
            case .folder:
                [FileFormat.content, FileFormat.base, FileFormat.device, FileFormat.target, FileFormat.executable]
            case .link: [FileFormat.content, FileFormat.base, FileFormat.device, FileFormat.executable]
            }
        if let field = foreign.first(where: { fields[$0] != nil }) {
            throw CloudError(.badRequest, "field '\(field)' is not for an item of kind '\(kind.rawValue)'")
        }
        guard kind == .link else { return }
        guard let target = fields.string(FileFormat.target), !target.isEmpty else { throw missing(FileFormat.target) }
        guard target.utf8.count <= FileLimits.targetSize, !target.utf8.contains(0) else {
            throw CloudError(
                .badRequest,
                "field '\(FileFormat.target)' has more than \(FileLimits.targetSize) bytes or contains NUL")
        }
    }

    private func checkProperties() throws(CloudError) {
        let properties = fields.list(FileFormat.properties)
        let size = properties.reduce(0) { size, value in
            if case .string(let text) = value { size + text.utf8.count } else { size }
        }
        guard properties.count <= FileLimits.propertiesPerItem, size <= FileLimits.propertiesSize else {
            throw CloudError(
                .badRequest,
                "field '\(FileFormat.properties)' has \(properties.count) properties of \(size) bytes, which is more "
                    + "than the maximum of \(FileLimits.propertiesPerItem) or \(FileLimits.propertiesSize)")
        }
    }

    /// What is in a folder is deleted with it.
    private mutating func settleFolder() {
        guard var folder = fields.reference(FileFormat.folder), folder.action != .deleteSelf else { return }
        folder.action = .deleteSelf
        set(FileFormat.folder, .reference(folder))
    }

    private mutating func settleDates() {
        for field in [FileFormat.created, FileFormat.modified] where fields[field] == nil {
            set(field, .timestamp(Timestamp(milliseconds: now)))
        }
    }

    // MARK: - Content

    private mutating func settleContent() throws(CloudError) {
        var history = FileHistory(stored ?? FieldMap(), now: now)
        history.clear(as: input, fields)
        history.take(as: input, fields)
        try history.check()
        if let content = history.content {
            set(FileFormat.content, .asset(content))
        } else {
            fields[FileFormat.content] = nil
        }
        fields[FileFormat.base] = nil
        let linkSize = fields.string(FileFormat.target).map { Int64($0.utf8.count) }
        set(FileFormat.size, .int64(history.content?.size ?? linkSize ?? 0))
        set(FileFormat.contentVersion, .int64(history.number))
        set(FileFormat.modified, .timestamp(Timestamp(milliseconds: modified(history))))
        fields[FileFormat.device] = history.device.map { Field(.scalar(.string($0))) }
        write(history.versions)
    }

    private func modified(_ history: FileHistory) -> Int64 {
        guard let stored, let former = stored.time(FileFormat.modified) else {
            return fields.time(FileFormat.modified) ?? now
        }
        // What was sent is older, and is not the content.
        if history.isOlder { return former }
        let wanted = fields.time(FileFormat.modified) ?? now
        // The client changed the content and did not say when.
        return history.isChanged && wanted == former ? now : wanted
    }

    private mutating func write(_ versions: [FileItem.Version]) {
        func time(_ milliseconds: Int64) -> ScalarValue { .timestamp(Timestamp(milliseconds: milliseconds)) }
        setList(FileFormat.versions, .asset, versions.map { .asset($0.content) })
        setList(FileFormat.versionNumbers, .int64, versions.map { .int64($0.number) })
        setList(FileFormat.versionModified, .timestamp, versions.map { time($0.modified) })
        setList(FileFormat.versionExpires, .timestamp, versions.map { time($0.expires) })
        let devices = versions.map { $0.device ?? "" }
        setList(
            FileFormat.versionDevices, .string, devices.allSatisfy(\.isEmpty) ? [] : devices.map(ScalarValue.string))
        setList(FileFormat.conflicts, .int64, versions.filter(\.isConflict).map { .int64($0.number) })
    }

    // MARK: - Recently Deleted

    /// An item that is deleted leaves its folder, so that it stays when the folder is deleted for good.
    private mutating func settleDeletion() {
        let (former, formerPlace) = (stored?[FileFormat.deleted], stored?[FileFormat.deletedFrom])
        guard fields[FileFormat.deleted] != nil else {
            fields[FileFormat.deletedFrom] = nil
            return
        }
        if let former {
            fields[FileFormat.deleted] = former
            fields[FileFormat.deletedFrom] = formerPlace
        } else {
            set(FileFormat.deleted, .timestamp(Timestamp(milliseconds: now)))
            let folder = (stored ?? fields).reference(FileFormat.folder)
            fields[FileFormat.deletedFrom] = folder.map { Field(.scalar(.string($0.recordName))) }
        }
        fields[FileFormat.folder] = nil
    }

    private mutating func set(_ name: String, _ value: ScalarValue) { fields[name] = Field(.scalar(value)) }

    private mutating func setList(_ name: String, _ type: ScalarType, _ values: [ScalarValue]) {
        fields[name] = values.isEmpty ? nil : Field(.list(of: type, elements: values))
    }
}
