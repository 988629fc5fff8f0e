import StratusCloudModel
import StratusCloudStore

extension CloudService {
    /// Copies an item, with everything in it unless only the folder itself is wanted.
    ///
    /// The copy appears at once and fills in several commits. If one of them fails, it is removed, and what it replaced
    /// comes back. What others changed or added in the copy meanwhile stays in Recently Deleted; among the files of
    /// others everything does, for their owner.
    /// - Parameter replaced: The item that has the name now; it goes to Recently Deleted.
    /// - Throws: As ``createFolder(_:as:)``; `badRequest` for more than ``FileLimits/itemsPerCopy`` items.
    public func copyFile(
        _ item: FileItem, to folder: FileFolder, named name: String, deep: Bool = true,
        replacing replaced: FileItem? = nil, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        try await copyFile(
            item, to: folder, named: name, deep: deep, replacing: replaced, limit: FileLimits.itemsPerCopy, of: owner,
            as: caller)
    }

    /// The same with another number of items than ``FileLimits/itemsPerCopy``.
    func copyFile(
        _ item: FileItem, to folder: FileFolder, named name: String, deep: Bool = true,
        replacing replaced: FileItem? = nil, limit: Int, of owner: FileOwner = .caller, as caller: Caller
    ) async throws(CloudError) -> FileItem {
        let contents = deep && item.kind == .folder ? try await tree(of: item, limit: limit, owner, as: caller) : []
        charge(RequestCost(operations: contents.count + 1), to: caller)
        let copied = try await copy(item, to: folder, named: name, replacing: replaced, of: owner, as: caller)
        var made: [FileItem] = []
        do throws(CloudError) {
            try await fill(copied, with: contents, &made, owner, as: caller)
            return copied
        } catch {
            await undoCopy(copied, made, replaced, owner, as: caller)
            throw error
        }
    }

    /// The items in a folder, each behind the folder that it is in: with the folder itself no more than a limit.
    private func tree(
        of item: FileItem, limit: Int, _ owner: FileOwner, as caller: Caller
    ) async throws(CloudError) -> [FileItem] {
        var found: [FileItem] = []
        var folders = [item.id][...]
        while let folder = folders.popFirst() {
            var cursor: FileCursor?
            repeat {
                let page = try await listFiles(in: .item(folder), of: owner, from: cursor, as: caller)
                charge(RequestCost(records: page.items.count), to: caller)
                found += page.items
                folders += page.items.filter { $0.kind == .folder }.map(\.id)
                guard found.count < limit else {
                    throw CloudError(
                        .badRequest, "the folder has \(limit) items or more, and one copy makes \(limit) at most")
                }
                cursor = page.next
            } while cursor != nil
        }
        return found
    }

    private func copy(
        _ item: FileItem, to folder: FileFolder, named name: String, replacing replaced: FileItem?, of owner: FileOwner,
        as caller: Caller
    ) async throws(CloudError) -> FileItem {
        var operations = replaced.map { [Self.deletion(of: $0, ifTagged: $0.changeTag)] } ?? []
        let receipts = try await receipts(for: [item], owner, as: caller)
        operations.append(
            creation(of: item, receipts, environment.random.uuid(), named: name, folder: folder))
        guard let copied = try await saveFiles(operations, of: owner, as: caller).last else {
            throw CloudError(.internalError, "internal error")
        }
        return copied
    }

    /// - Parameter made: Gets the items that were saved, each behind the folder that it is in.
    private func fill(
        _ root: FileItem, with contents: [FileItem], _ made: inout [FileItem], _ owner: FileOwner, as caller: Caller
    ) async throws(CloudError) {
        var copies: [String: String] = [:]
        // The operator may allow fewer operations in one request.
        let limit = min(ModelLimits.assetsPerRequest, operationLimit(for: caller))
        for start in stride(from: 0, to: contents.count, by: limit) {
            let items = Array(contents[start..<min(start + limit, contents.count)])
            let receipts = try await receipts(for: items, owner, as: caller)
            var operations: [RecordOperation] = []
            for item in items {
                let recordName = environment.random.uuid()
                copies[item.id] = recordName
                let folder = item.folder.flatMap { copies[$0] } ?? root.id
                operations.append(
                    creation(of: item, receipts, recordName, named: item.name, folder: .item(folder)))
            }
            made += try await saveFiles(operations, of: owner, as: caller)
        }
    }

    private func creation(
        of item: FileItem, _ receipts: [String: Asset], _ recordName: String, named name: String, folder: FileFolder
    ) -> RecordOperation {
        var changes = FileChanges(
            name: name, folder: folder, created: item.created, modified: item.modified,
            isExecutable: item.isExecutable ? true : nil,
            properties: item.properties.isEmpty ? nil : item.properties)
        changes.content = receipts[item.id]
        return changes.creation(of: item.kind, named: recordName, target: item.target)
    }

    /// Receipts for the contents of items, by their record names.
    private func receipts(for items: [FileItem], _ owner: FileOwner, as caller: Caller) async throws(CloudError)
        -> [String: Asset]
    {
        let filled = items.filter { $0.content != nil }
        guard !filled.isEmpty else { return [:] }
        let request = RereferenceAssetsRequest(
            items: filled.map { RereferenceAssetsRequest.Item(recordName: $0.id, fieldName: FileFormat.content) },
            zoneID: owner.zoneID)
        var receipts: [String: Asset] = [:]
        for (item, result) in zip(filled, try await rereferenceAssets(request, in: owner.scope, as: caller)) {
            switch result {
            case .asset(let asset): receipts[item.id] = asset
            case .failed(_, let error): throw error
            }
        }
        return receipts
    }
}
