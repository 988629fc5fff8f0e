import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// A page of a sorted folder.
    public struct SortedFiles: Sendable {
        /// In the order that was asked for.
        public var items: [FileItem]
        /// Where the next page begins; nil at the end.
        public var next: FilePosition?
        /// Items that were read for it.
        public var read: Int
    }

    /// Returns items of a folder in an order, none if it does not exist.
    ///
    /// Names have an index. For sizes and dates the folder is read page by page, and no more than a page is kept.
    public func listFiles(
        in folder: FileFolder, sortedBy sorting: FileSorting, after position: FilePosition? = nil,
        of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> SortedFiles {
        if let position { try FileName.check(position.name) }
        let limit = FileLimits.itemsPerPage
        if sorting.order == .name {
            let items = try await namedFiles(
                in: folder, sorting.isDescending, after: position, limit + 1, owner, as: caller)
            return Self.page(items, sorting.order, read: items.count)
        }
        let bound: FileRank? = if let position { try FileRank(position) } else { nil }
        func precedes(_ left: FileRank, _ right: FileRank) -> Bool {
            sorting.isDescending ? right < left : left < right
        }
        var kept: [(rank: FileRank, item: FileItem)] = []
        var read = 0
        var cursor: FileCursor?
        repeat {
            let page = try await listFiles(in: folder, of: owner, from: cursor, as: caller)
            for item in page.items {
                let rank = try FileRank(item, sorting.order)
                if let bound, !precedes(bound, rank) { continue }
                kept.append((rank, item))
            }
            kept.sort { precedes($0.rank, $1.rank) }
            kept.removeLast(max(0, kept.count - limit - 1))
            read += page.items.count
            cursor = page.next
        } while cursor != nil
        return Self.page(kept.map(\.item), sorting.order, read: read)
    }

    private static func page(_ items: [FileItem], _ order: FileOrder, read: Int) -> SortedFiles {
        let shown = Array(items.prefix(FileLimits.itemsPerPage))
        guard items.count > shown.count, let last = shown.last else { return SortedFiles(items: shown, read: read) }
        let value =
            switch order {
            case .name: Int64(0)
            case .size: last.size
            case .modified: last.modified
            }
        return SortedFiles(items: shown, next: FilePosition(name: last.name, value: value), read: read)
    }

    private func namedFiles(
        in folder: FileFolder, _ isDescending: Bool, after position: FilePosition?, _ limit: Int, _ owner: FileOwner,
        as caller: Caller
    ) async throws(CloudError) -> [FileItem] {
        let key: String? = if let position { try FileNameKey.key(position.name) } else { nil }
        return try await readingFiles(of: owner, as: caller, otherwise: []) { files in
            guard try files.mayList(folder) else { return [] }
            var range = Keyspace.fileNames(zone: files.zone, folder: folder.recordName)
            if let key {
                let bound = Keyspace.fileName(zone: files.zone, folder: folder.recordName, key: key)
                if isDescending { range.upper = bound } else { range.lower = bound.next }
            }
            let entries = try files.transaction.entries(in: range, limit: limit, reverse: isDescending)
            return try files.items(entries.map { String(decoding: $0.value, as: UTF8.self) })
        }
    }

    /// Returns items of Recently Deleted, those that were deleted first at the beginning.
    /// - Parameter recordName: The last item of the page before; nil begins.
    /// - Throws: `notFound` if that is not there any more.
    public func listRecentlyDeletedFiles(
        after recordName: String?, as caller: Caller
    ) async throws(CloudError) -> FilePage {
        guard let recordName else { return try await listRecentlyDeletedFiles(as: caller) }
        guard let deleted = try await file(named: recordName, as: caller).deleted else {
            throw CloudError(.notFound, "the item was restored; list from the beginning")
        }
        let cursor = try await readingFiles(of: .caller, as: caller, otherwise: FileCursor(key: [])) { files in
            let due = deleted + FileLimits.recentlyDeletedLifetime
            let key = Keyspace.fileDue(zone: files.zone, .deletion, at: due, recordName: recordName)
            return FileCursor(key: key.next.bytes)
        }
        return try await listRecentlyDeletedFiles(from: cursor, as: caller)
    }
}
