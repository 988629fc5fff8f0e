import StratusCloudModel
import StratusCloudStore

/// The hierarchy of files: folders with what is in them.
///
/// Items in Recently Deleted belong to no share. A participant sees the present content of a file; former contents are the
/// owner's, like Recently Deleted.
enum FolderHierarchy: RecordHierarchy {
    /// The references of the field `folder`.
    static let kind = ActingReference.Kind.deleteSelf
    static let concealsAll = true

    private static let concealed = [
        FileFormat.deletedFrom, FileFormat.versions, FileFormat.versionNumbers, FileFormat.versionModified,
        FileFormat.versionExpires, FileFormat.versionDevices, FileFormat.conflicts,
    ]

    static func above(_ record: StoredRecord) -> String? { record.folder }
    static func isDetached(_ record: StoredRecord) -> Bool { record.isDeletedFile }

    static func destination(of operation: PreparedOperation) -> HierarchyMove {
        if let deleted = operation.input.field(FileFormat.deleted), !deleted.isNull { return .detaches }
        guard let folder = operation.input.field(FileFormat.folder) else {
            return operation.kind.keepsOtherFields ? .stays : .below(nil)
        }
        guard case .scalar(.reference(let reference)) = folder else { return .below(nil) }
        return .below(reference.recordName)
    }

    static func checkRoot(_ record: StoredRecord, in zone: ZoneNumber, _ transaction: any ReadTransaction) throws {
        var next: StoredRecord? = record
        // Folders are never in themselves, and only so deep.
        while let item = next {
            guard !item.isDeletedFile else {
                throw CloudError(
                    .badRequest,
                    "record '\(record.recordName)' cannot be shared: it is in Recently Deleted, or in a folder that is")
            }
            next = try item.folder.flatMap { try transaction.record(named: $0, in: zone) }
        }
    }

    static func checkParticipant(_ operation: PreparedOperation, _ stored: StoredRecord, isRoot: Bool) throws {
        let input = operation.input
        // Giving up former contents, and resolving their conflicts, is the owner's.
        guard input.field(FileFormat.versions)?.isNull != true, input.field(FileFormat.conflicts) == nil else {
            throw BatchShares.denied("WRITE")
        }
        guard isRoot else { return }
        switch destination(of: operation) {
        case .detaches: throw BatchShares.denied("DELETE")
        case .below(.some): throw BatchShares.denied("WRITE")
        case .stays, .below(nil): break
        }
        // A name that is taken would tell what else is in the owner's folder.
        if let name = input.field(FileFormat.name) {
            guard let text = name.string, ByteOrder.equal(text, stored.fields.string(FileFormat.name) ?? "") else {
                throw BatchShares.denied("WRITE")
            }
        }
    }

    static func keepingAbove(_ operation: PreparedOperation, over root: StoredRecord) -> RecordInput {
        var input = operation.input
        input.fields.removeAll { $0.name == FileFormat.folder }
        if !operation.kind.keepsOtherFields, let folder = root.fields[FileFormat.folder] {
            input.fields.append((FileFormat.folder, FieldInput(folder)))
        }
        return input
    }

    static func conceal(_ record: inout some SharedRecord, isRoot: Bool) {
        record.fields.unpack()
        for name in concealed { record.fields[name] = nil }
        if isRoot { record.fields[FileFormat.folder] = nil }
    }
}

extension InputValue {
    fileprivate var string: String? {
        switch self {
        case .text(let text), .scalar(.string(let text)): text
        default: nil
        }
    }
}

extension RecordInput {
    /// The value that a field gets; nil for a field that is not mentioned.
    fileprivate func field(_ name: String) -> InputValue? { fields.last { $0.name == name }?.field.value }
}
