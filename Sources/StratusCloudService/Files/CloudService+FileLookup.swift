import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// The zone of a caller's files.
    static let filesZoneID = FileOwner.caller.zoneID

    /// Returns what a path leads to.
    /// - Parameters:
    ///   - path: The names on the way.
    ///   - start: Where the path begins; for the files of others a folder that they share.
    /// - Throws: `badRequest` for a path that is too deep; the errors of ``DatabaseAddress``.
    public func filePlace(
        at path: [String], below start: FileFolder = .root, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FilePlace {
        guard let name = path.last else { return try await place(of: start, owner, caller) }
        guard path.count <= FileLimits.folderDepth + 1 else {
            throw CloudError(.badRequest, "the path has more than \(FileLimits.folderDepth) folders")
        }
        var keys: [String] = []
        for name in path { keys.append(try FileNameKey.key(name)) }
        let otherwise = start == .root && owner == .caller ? Self.emptyPlace(path) : .nowhere
        return try await readingFiles(of: owner, as: caller, otherwise: otherwise) { [keys] files in
            guard try files.mayList(start) else { return .nowhere }
            let transaction = files.transaction
            var folder = start
            for key in keys.dropLast() {
                let stored = try transaction.get(
                    Keyspace.fileName(zone: files.zone, folder: folder.recordName, key: key))
                guard let stored else { return .nowhere }
                folder = .item(String(decoding: stored, as: UTF8.self))
            }
            let key = Keyspace.fileName(zone: files.zone, folder: folder.recordName, key: keys.last ?? "")
            if let stored = try transaction.get(key) {
                guard let item = try files.items([String(decoding: stored, as: UTF8.self)]).first else {
                    return .nowhere
                }
                return .item(item, in: folder)
            }
            if let name = folder.recordName,
                try transaction.record(named: name, in: files.zone)?.isFolder != true
            {
                return .nowhere
            }
            return .free(name: name, in: folder)
        }
    }

    private static func emptyPlace(_ path: [String]) -> FilePlace {
        path.count == 1 ? .free(name: path[0], in: .root) : .nowhere
    }

    private func place(
        of folder: FileFolder, _ owner: FileOwner, _ caller: Caller
    ) async throws(CloudError) -> FilePlace {
        guard let name = folder.recordName else { return owner == .caller ? .root : .nowhere }
        return try await readingFiles(of: owner, as: caller, otherwise: .nowhere) { files in
            guard let item = try files.items([name]).first else { return .nowhere }
            return .item(item, in: item.folder.map(FileFolder.item) ?? .root)
        }
    }

    /// Returns some items of a folder, none if it does not exist. What others share is listed by
    /// ``sharedFiles(as:)``.
    public func listFiles(
        in folder: FileFolder, of owner: FileOwner = .caller, from cursor: FileCursor? = nil,
        limit: Int = FileLimits.itemsPerPage, as caller: Caller
    ) async throws(CloudError) -> FilePage {
        try await readingFiles(of: owner, as: caller, otherwise: FilePage(items: [])) { files in
            guard try files.mayList(folder) else { return FilePage(items: []) }
            var range = Keyspace.fileNames(zone: files.zone, folder: folder.recordName)
            if let cursor { range.lower = Key(cursor.key) }
            let limit = min(limit, FileLimits.itemsPerPage)
            let entries = try files.transaction.entries(in: range, limit: limit)
            return FilePage(
                items: try files.items(entries.map { String(decoding: $0.value, as: UTF8.self) }),
                next: entries.count < limit ? nil : entries.last.map { FileCursor(key: $0.key.next.bytes) })
        }
    }

    /// Returns items of the caller's Recently Deleted, those that were deleted first at the beginning.
    public func listRecentlyDeletedFiles(
        from cursor: FileCursor? = nil, limit: Int = FileLimits.itemsPerPage, as caller: Caller
    ) async throws(CloudError) -> FilePage {
        try await readingFiles(of: .caller, as: caller, otherwise: FilePage(items: [])) { files in
            var range = Keyspace.filesDue(zone: files.zone, .deletion, until: .max)
            if let cursor { range.lower = Key(cursor.key) }
            let limit = min(limit, FileLimits.itemsPerPage)
            let entries = try files.transaction.entries(in: range, limit: limit)
            return FilePage(
                items: try files.items(entries.compactMap { Keyspace.fileDueRecordName($0.key) }),
                next: entries.count < limit ? nil : entries.last.map { FileCursor(key: $0.key.next.bytes) })
        }
    }

    /// Returns an item by the name of its record.
    /// - Throws: `notFound`.
    public func file(
        named recordName: String, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try Names.checkRecordName(recordName)
        let found = try await readingFiles(of: owner, as: caller, otherwise: []) { files in
            try files.items([recordName])
        }
        guard let item = found.first else { throw CloudError(.notFound, "there is no such file") }
        return item
    }
}
