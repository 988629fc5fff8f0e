import StratusCloudModel
import StratusCloudStore

/// The last step of an upload: its content is saved in a file.
extension CloudService {
    func save(
        _ received: ReceivedUpload, of upload: FileUpload, modified: Int64?, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        var changes = FileChanges(modified: modified)
        let operation: RecordOperation
        switch upload.destination {
        case .existing(let item, let changeTag):
            changes.content = receipted(received)
            operation = changes.update(of: item.id, ifTagged: changeTag)
        case .new(let name, let folder):
            changes.content = receipted(received)
            (changes.name, changes.folder) = (name, folder)
            operation = changes.creation(of: .file, named: upload.recordName)
        case .named(let name, let folder, _):
            return try await save(received, of: upload, changes, under: name, in: folder, as: caller)
        }
        return try await saveFile(operation, of: upload.owner, as: caller, finishing: received)
    }

    /// Saves content under a name. Other requests may create, replace or delete the file with this name at any time.
    private func save(
        _ received: ReceivedUpload, of upload: FileUpload, _ changes: FileChanges, under name: String,
        in folder: FileFolder, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        var attempt = 0
        while true {
            let place = try await uploadPlace(under: name, in: folder, of: upload.owner, as: caller)
            var changes = changes
            changes.content = receipted(received, inAnyRecordOf: place.zone)
            let operation: RecordOperation
            if let item = place.item {
                operation = changes.update(of: item.id)
            } else {
                (changes.name, changes.folder) = (name, folder)
                operation = changes.creation(of: .file, named: environment.random.uuid())
            }
            do throws(CloudError) {
                return try await saveFile(operation, of: upload.owner, as: caller, finishing: received)
            } catch {
                attempt += 1
                // The name was taken, or its file was deleted, since it was looked up.
                let isOutdated = error.code == .uniqueFieldError || error.code == .conflict
                guard isOutdated, attempt < FileLimits.uploadAttempts else { throw error }
            }
        }
    }

    /// Returns the file that has a name, and the number of the zone.
    /// - Throws: `uniqueFieldError` if something else than a file has the name; `validatingReferenceError` if the
    ///   folder does not exist or is deleted.
    private func uploadPlace(
        under name: String, in folder: FileFolder, of owner: FileOwner, as caller: Caller
    ) async throws(CloudError) -> (item: FileItem?, zone: ZoneNumber) {
        let key = try FileNameKey.key(name)
        let found = try await readingFiles(of: owner, as: caller, otherwise: nil) {
            files -> (item: FileItem?, zone: ZoneNumber)? in
            guard try files.mayList(folder) else { return nil }
            // An item that is shared by itself stays shared while a folder around it is deleted.
            if owner == .caller { try files.checkReachable(folder) }
            let stored = try files.transaction.get(
                Keyspace.fileName(zone: files.zone, folder: folder.recordName, key: key))
            let item = try stored.flatMap { try files.items([String(decoding: $0, as: UTF8.self)]).first }
            return (item, files.zone)
        }
        guard let found else { throw CloudError(.validatingReferenceError, "the folder does not exist") }
        if let item = found.item, item.kind != .file, item.kind != .package {
            throw CloudError(.uniqueFieldError, "the folder has an item of this name that is not a file")
        }
        return found
    }
}

extension FileReader {
    /// - Throws: `validatingReferenceError` if a folder, or one around it, is in Recently Deleted.
    fileprivate func checkReachable(_ folder: FileFolder) throws {
        var next = folder.recordName
        var depth = 0
        while let name = next, depth <= FileLimits.folderDepth {
            guard let record = try transaction.record(named: name, in: zone), record.isFolder, !record.isDeletedFile
            else {
                throw CloudError(
                    .validatingReferenceError, "a folder around it does not exist or is in Recently Deleted")
            }
            next = record.folder
            depth += 1
        }
    }
}
