import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Calls `body` with items and everything in them, each folder before what is in it, and reads no more than a page
    /// at a time.
    /// - Parameter body: Gets an item and its path: the names from the first items on.
    /// - Throws: `badRequest` for more than ``FileLimits/itemsPerArchive`` items; what `body` throws.
    public func forEachFile(
        of items: [FileItem], of owner: FileOwner = .caller, as caller: Caller,
        _ body: (_ item: FileItem, _ path: [String]) async throws -> Void
    ) async throws {
        var count = 0
        func visit(_ item: FileItem, _ path: [String]) async throws {
            count += 1
            guard count <= FileLimits.itemsPerArchive else {
                throw CloudError(
                    .badRequest,
                    "there are more than \(FileLimits.itemsPerArchive) items, which is the maximum of one archive")
            }
            try await body(item, path)
        }
        for item in items {
            try await visit(item, [item.name])
            guard item.kind == .folder else { continue }
            var folders = [(id: item.id, path: [item.name])]
            while let folder = folders.popLast() {
                var cursor: FileCursor?
                repeat {
                    let page = try await listFiles(in: .item(folder.id), of: owner, from: cursor, as: caller)
                    charge(RequestCost(records: page.items.count), to: caller)
                    for item in page.items {
                        try await visit(item, folder.path + [item.name])
                        if item.kind == .folder { folders.append((item.id, folder.path + [item.name])) }
                    }
                    cursor = page.next
                } while cursor != nil
            }
        }
    }

    /// Returns the bytes of a former content of a file.
    /// - Throws: `notFound` if it is not kept any more.
    public func downloadVersion(
        _ number: Int64, of item: FileItem, as caller: Caller
    ) async throws(CloudError) -> AssetDownload {
        guard let version = item.versions.first(where: { $0.number == number }),
            let asset = AssetID(fileChecksum: version.content.fileChecksum)
        else { throw CloudError(.notFound, "the file has no such version any more") }
        return try await download(asset, from: try DatabaseAddress(.private, Self.filesZoneID, caller).partition)
    }
}
