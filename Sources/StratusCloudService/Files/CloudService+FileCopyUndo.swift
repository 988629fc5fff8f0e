import StratusCloudModel
import StratusCloudStore

/// The removal of a copy that failed before it was whole.
extension CloudService {
    /// Moves a copy to Recently Deleted, deletes for good what it made there, and restores what it replaced.
    ///
    /// Items that others changed meanwhile stay in Recently Deleted, and so do folders in which others saved something.
    /// If this fails, a part of the copy stays there; the error of the copy is reported to the caller in any case.
    func undoCopy(
        _ copied: FileItem, _ made: [FileItem], _ replaced: FileItem?, _ owner: FileOwner, as caller: Caller
    ) async {
        do throws(CloudError) {
            // From now on nobody can save anything new in the copy.
            let root = try await deleteRoot(copied, owner, as: caller)
            // The rest is done in Recently Deleted, which is the owner's alone.
            guard owner == .caller else { return }
            try await deleteUnchanged(made.filter { $0.kind != .folder }, as: caller)
            for folders in Self.levels(of: made.filter { $0.kind == .folder }) {
                try await deleteUnchanged(folders, as: caller)
            }
            if let root { try await deleteUnchanged([root], as: caller) }
            if let replaced { _ = try await restoreFile(named: replaced.id, as: caller) }
        } catch {
            environment.report(error)
        }
    }

    /// Moves the folder that was copied to Recently Deleted.
    /// - Returns: the deleted folder; nil if others changed it before.
    private func deleteRoot(
        _ copied: FileItem, _ owner: FileOwner, as caller: Caller
    ) async throws(CloudError) -> FileItem? {
        do throws(CloudError) {
            return try await deleteFile(copied, ifTagged: copied.changeTag, of: owner, as: caller)
        } catch {
            guard error.code == .conflict else { throw error }
            try await deleteFile(copied, of: owner, as: caller)
            return nil
        }
    }

    /// Groups folders by how deep they are, the deepest first.
    /// - Parameter folders: Each behind the folder that it is in.
    private static func levels(of folders: [FileItem]) -> [[FileItem]] {
        var depths: [String: Int] = [:]
        for folder in folders { depths[folder.id] = (folder.folder.flatMap { depths[$0] } ?? 0) + 1 }
        return Dictionary(grouping: folders) { depths[$0.id] ?? 0 }.sorted { $0.key > $1.key }.map(\.value)
    }

    /// Deletes those of some items for good that nobody changed, folders only without anything in them.
    private func deleteUnchanged(_ items: [FileItem], as caller: Caller) async throws(CloudError) {
        let limit = operationLimit(for: caller)
        for start in stride(from: 0, to: items.count, by: limit) {
            let part = try await empty(Array(items[start..<min(start + limit, items.count)]), as: caller)
            let deleted = try await modifyFiles(
                part.map { Self.deletion(of: $0, ifTagged: $0.changeTag) }, as: caller)
            // Something may have been saved in a folder until it was deleted itself.
            let rest = try await empty(deleted, as: caller)
            _ = try await modifyFiles(
                rest.map { item in
                    RecordOperation(
                        .delete,
                        RecordInput(
                            recordName: item.id, recordType: FileFormat.recordType, recordChangeTag: item.changeTag))
                }, as: caller)
        }
    }

    /// Those of some items that have nothing in them.
    private func empty(_ items: [FileItem], as caller: Caller) async throws(CloudError) -> [FileItem] {
        var empty: [FileItem] = []
        for item in items {
            let page = try await listFiles(in: .item(item.id), limit: 1, as: caller)
            if page.items.isEmpty { empty.append(item) }
        }
        return empty
    }

    /// Carries out those of some operations that are possible.
    /// - Returns: the items that were saved.
    private func modifyFiles(
        _ operations: [RecordOperation], as caller: Caller
    ) async throws(CloudError) -> [FileItem] {
        let request = ModifyRecordsRequest(operations: operations, zoneID: Self.filesZoneID, atomic: false)
        return try await modifyRecords(request, in: .private, as: caller).compactMap { result in
            if case .saved(let record) = result { FileItem(record) } else { nil }
        }
    }
}
