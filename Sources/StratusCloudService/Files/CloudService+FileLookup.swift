import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// The zone of a caller's files.
    static let filesZoneID = ZoneID(zoneName: FileFormat.zoneName)

    /// Returns what a path leads to.
    /// - Parameter path: The names on the way from the root folder.
    /// - Throws: `badRequest` for a path that is too deep; the errors of ``DatabaseAddress``.
    public func filePlace(at path: [String], as caller: Caller) async throws(CloudError) -> FilePlace {
        guard let name = path.last else { return .root }
        guard path.count <= FileLimits.folderDepth + 1 else {
            throw CloudError(.badRequest, "the path has more than \(FileLimits.folderDepth) folders")
        }
        var keys: [String] = []
        for name in path { keys.append(try FileNameKey.key(name)) }
        let zoneID = Self.filesZoneID
        return try await readingFiles(as: caller, otherwise: Self.emptyPlace(path)) { [keys] zone, transaction in
            var folder = FileFolder.root
            for key in keys.dropLast() {
                let stored = try transaction.get(
                    Keyspace.fileName(zone: zone, folder: folder.recordName, key: key))
                guard let stored else { return .nowhere }
                folder = .item(String(decoding: stored, as: UTF8.self))
            }
            let key = Keyspace.fileName(zone: zone, folder: folder.recordName, key: keys.last ?? "")
            if let stored = try transaction.get(key) {
                let record = try transaction.record(named: String(decoding: stored, as: UTF8.self), in: zone)
                guard let item = record.flatMap({ FileItem($0.record(in: zoneID)) }) else { return .nowhere }
                return .item(item, in: folder)
            }
            if let name = folder.recordName, try transaction.record(named: name, in: zone)?.isFolder != true {
                return .nowhere
            }
            return .free(name: name, in: folder)
        }
    }

    private static func emptyPlace(_ path: [String]) -> FilePlace {
        path.count == 1 ? .free(name: path[0], in: .root) : .nowhere
    }

    /// Returns some items of a folder, none if it does not exist.
    public func listFiles(
        in folder: FileFolder, from cursor: FileCursor? = nil, limit: Int = FileLimits.itemsPerPage,
        as caller: Caller
    ) async throws(CloudError) -> FilePage {
        try await readingFiles(as: caller, otherwise: FilePage(items: [])) { zone, transaction in
            var range = Keyspace.fileNames(zone: zone, folder: folder.recordName)
            if let cursor { range.lower = Key(cursor.key) }
            let limit = min(limit, FileLimits.itemsPerPage)
            let entries = try transaction.entries(in: range, limit: limit)
            let names = entries.map { String(decoding: $0.value, as: UTF8.self) }
            return FilePage(
                items: try Self.items(names, in: zone, transaction),
                next: entries.count < limit ? nil : entries.last.map { FileCursor(key: $0.key.next.bytes) })
        }
    }

    /// Returns items of Recently Deleted, those that were deleted first at the beginning.
    public func listRecentlyDeletedFiles(
        from cursor: FileCursor? = nil, limit: Int = FileLimits.itemsPerPage, as caller: Caller
    ) async throws(CloudError) -> FilePage {
        try await readingFiles(as: caller, otherwise: FilePage(items: [])) { zone, transaction in
            var range = Keyspace.filesDue(zone: zone, .deletion, until: .max)
            if let cursor { range.lower = Key(cursor.key) }
            let limit = min(limit, FileLimits.itemsPerPage)
            let entries = try transaction.entries(in: range, limit: limit)
            return FilePage(
                items: try Self.items(entries.compactMap { Keyspace.fileDueRecordName($0.key) }, in: zone, transaction),
                next: entries.count < limit ? nil : entries.last.map { FileCursor(key: $0.key.next.bytes) })
        }
    }

    /// Returns an item by the name of its record.
    /// - Throws: `notFound`.
    public func file(named recordName: String, as caller: Caller) async throws(CloudError) -> FileItem {
        try Names.checkRecordName(recordName)
        let found = try await readingFiles(as: caller, otherwise: []) { zone, transaction in
            try Self.items([recordName], in: zone, transaction)
        }
        guard let item = found.first else { throw CloudError(.notFound, "there is no such file") }
        return item
    }

    static func items(
        _ names: [String], in zone: ZoneNumber, _ transaction: any ReadTransaction
    ) throws -> [FileItem] {
        try transaction.recordRows(names, in: zone).compactMap { row in
            try row.flatMap { FileItem(try $0.record().record(in: filesZoneID)) }
        }
    }

    /// Reads in the zone of the caller's files.
    /// - Parameter otherwise: The result where nobody has saved a file yet.
    func readingFiles<Result: Sendable>(
        as caller: Caller, otherwise: Result,
        _ body: @escaping @Sendable (ZoneNumber, any ReadTransaction) throws -> Result
    ) async throws(CloudError) -> Result {
        let address = try DatabaseAddress(.private, Self.filesZoneID, caller)
        return try await reading(address.partition) { transaction in
            guard let header = try ZoneHeader.find(FileFormat.zoneName, in: transaction) else { return otherwise }
            return try body(header.number, transaction)
        }
    }
}
