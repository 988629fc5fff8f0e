import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Creates a folder.
    /// - Throws: `uniqueFieldError` if the name is taken; `validatingReferenceError` if the folder around it does not
    ///   exist or is deleted; `badRequest`.
    public func createFolder(
        _ changes: FileChanges, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try await saveFile(changes.creation(of: .folder, named: environment.random.uuid()), of: owner, as: caller)
    }

    /// Creates a file without content.
    /// - Throws: As ``createFolder(_:as:)``.
    public func createEmptyFile(_ changes: FileChanges, of owner: FileOwner = .caller, as caller: Caller)
        async throws(CloudError) -> FileItem
    {
        try await saveFile(changes.creation(of: .file, named: environment.random.uuid()), of: owner, as: caller)
    }

    /// Creates a symbolic link, which nothing ever follows.
    /// - Throws: As ``createFolder(_:as:)``.
    public func createLink(
        _ changes: FileChanges, to target: String, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try await saveFile(
            changes.creation(of: .link, named: environment.random.uuid(), target: target), of: owner, as: caller)
    }

    /// Changes an item.
    /// - Throws: As ``createFolder(_:as:)``; `notFound`.
    @discardableResult
    public func updateFile(
        _ item: FileItem, _ changes: FileChanges, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try await saveFile(changes.update(of: item.id, ifTagged: item.changeTag), of: owner, as: caller)
    }

    /// Moves an item, with everything in it.
    /// - Parameter replaced: The item that has the name now; it goes to Recently Deleted in the same commit.
    /// - Throws: As ``createFolder(_:as:)``; `conflict` if one of the items was changed meanwhile.
    public func moveFile(
        _ item: FileItem, to folder: FileFolder, named name: String, replacing replaced: FileItem? = nil,
        of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        var operations: [RecordOperation] = []
        if let replaced, replaced.id != item.id {
            operations.append(Self.deletion(of: replaced, ifTagged: replaced.changeTag))
        }
        operations.append(FileChanges(name: name, folder: folder).update(of: item.id, ifTagged: item.changeTag))
        let saved = try await saveFiles(operations, of: owner, as: caller)
        guard let moved = saved.last else { throw CloudError(.internalError, "internal error") }
        return moved
    }

    // MARK: - Recently Deleted

    /// Moves an item to its owner's Recently Deleted, with everything in it.
    /// - Parameter changeTag: Of the state that must still be the item's; nil deletes it in any.
    @discardableResult
    public func deleteFile(
        _ item: FileItem, ifTagged changeTag: String? = nil, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try await saveFile(Self.deletion(of: item, ifTagged: changeTag), of: owner, as: caller)
    }

    static func deletion(of item: FileItem, ifTagged changeTag: String? = nil) -> RecordOperation {
        var changes = FileChanges()
        changes.isDeleted = true
        return changes.update(of: item.id, ifTagged: changeTag)
    }

    /// Restores an item from Recently Deleted: to the folder that it was deleted from if it still exists, otherwise to
    /// the root folder; under its name, with a number if that is taken.
    /// - Throws: `notFound`; `badRequest` if it is not deleted.
    public func restoreFile(named recordName: String, as caller: Caller) async throws(CloudError) -> FileItem {
        let item = try await file(named: recordName, as: caller)
        guard item.deleted != nil else { throw CloudError(.badRequest, "the file is not in Recently Deleted") }
        var folder = item.deletedFrom.map(FileFolder.item) ?? .root
        var name = item.name
        var number = 1
        while true {
            do throws(CloudError) {
                var changes = FileChanges(name: name, folder: folder)
                changes.isDeleted = false
                return try await saveFile(changes.update(of: item.id, ifTagged: item.changeTag), as: caller)
            } catch {
                switch error.code {
                case .uniqueFieldError where number < FileLimits.numbersTried:
                    number += 1
                    name = FileName.numbered(item.name, number)
                case .validatingReferenceError, .badRequest:
                    guard folder != .root else { throw error }
                    folder = .root
                default: throw error
                }
            }
        }
    }

    /// Deletes an item of Recently Deleted for good, with everything in it.
    /// - Throws: `badRequest` if it is not there.
    public func deleteFilePermanently(named recordName: String, as caller: Caller) async throws(CloudError) {
        let operation = RecordOperation(
            .forceDelete, RecordInput(recordName: recordName, recordType: FileFormat.recordType))
        let request = ModifyRecordsRequest(operations: [operation], zoneID: Self.filesZoneID)
        for case .failed(_, let error) in try await modifyRecords(request, in: .private, as: caller) { throw error }
    }

    /// Gives a file a former content; the present one becomes a former one.
    /// - Throws: `notFound` if it is not kept any more.
    public func restoreVersion(
        _ number: Int64, of item: FileItem, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        guard let version = item.versions.first(where: { $0.number == number }) else {
            throw CloudError(.notFound, "the file has no such version any more")
        }
        var changes = FileChanges(modified: version.modified)
        changes.content = version.content
        return try await saveFile(changes.update(of: item.id, ifTagged: item.changeTag), as: caller)
    }

    // MARK: - Saving

    func saveFile(
        _ operation: RecordOperation, of owner: FileOwner = .caller, as caller: Caller,
        finishing upload: ReceivedUpload? = nil
    ) async throws(CloudError) -> FileItem {
        guard let item = try await saveFiles([operation], of: owner, as: caller, finishing: upload).first else {
            throw CloudError(.internalError, "internal error")
        }
        return item
    }

    /// Saves items, all or none.
    func saveFiles(
        _ operations: [RecordOperation], of owner: FileOwner, as caller: Caller, finishing upload: ReceivedUpload? = nil
    ) async throws(CloudError) -> [FileItem] {
        let request = ModifyRecordsRequest(operations: operations, zoneID: owner.zoneID, atomic: true)
        let results = try await modifyRecords(request, in: owner.scope, as: caller, finishing: upload)
        var failure: CloudError?
        var items: [FileItem] = []
        for result in results {
            switch result {
            case .saved(let record): if let item = FileItem(record) { items.append(item) }
            case .failed(_, let error): if failure == nil || failure?.code == .atomicError { failure = error }
            case .deleted: break
            }
        }
        if let failure { throw failure }
        return items
    }

    /// Makes the unique part of a lock's token.
    public func makeLockToken() -> String { environment.random.uuid().lowercased() }
}
