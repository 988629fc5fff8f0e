import Glibc
import StratusCloudKit
import StratusCloudModel

/// Changes of names and folders.
extension MountFileSystem {
    static func check(_ name: String) throws(SystemError) {
        guard name.utf8.count <= FileLimits.nameSize else { throw SystemError(ENAMETOOLONG) }
        guard (try? FileName.check(name)) != nil else { throw SystemError(EINVAL) }
    }

    /// Puts a new item into a folder. It is not sent yet.
    func add(
        _ name: String, kind: FileKind, target: String? = nil, isExecutable: Bool = false, in parent: UInt64
    ) throws(SystemError) -> (item: MountedItem, inode: UInt64) {
        try Self.check(name)
        return try state.withLock { state throws(SystemError) in
            let folder = try Self.folder(parent, state)
            guard state.tree.child(name, of: folder) == nil else { throw SystemError(EEXIST) }
            try Self.checkRoom(in: folder, state)
            var item = MountedItem(name: name, folder: folder, kind: kind, at: MountedItem.now)
            item.target = target
            item.size = Int64(target?.utf8.count ?? 0)
            item.isExecutable = isExecutable
            item.isFresh = true
            item.generation = 1
            state.tree.put(item)
            return (item, Self.inode(of: item.id, &state))
        }
    }

    static func checkRoom(in folder: String, _ state: borrowing State) throws(SystemError) {
        guard folder == MountedItem.root || state.tree.count(of: folder) < FileLimits.itemsPerFolder else {
            throw SystemError(ENOSPC)
        }
        guard state.tree.depth(of: folder) <= FileLimits.folderDepth else { throw SystemError(ENAMETOOLONG) }
    }

    func makeFolder(_ name: String, in parent: UInt64) async throws -> FileAttributes {
        try await make(add(name, kind: .folder, in: parent))
    }

    func makeLink(_ name: String, to target: String, in parent: UInt64) async throws -> FileAttributes {
        guard target.utf8.count <= FileLimits.targetSize else { throw SystemError(ENAMETOOLONG) }
        return try await make(add(name, kind: .link, target: target, in: parent))
    }

    private func make(_ added: (item: MountedItem, inode: UInt64)) async throws -> FileAttributes {
        try persist([added.item.id])
        try await settle([added.item.id]) { state in state.tree.remove(added.item.id) }
        return try attributes(of: added.inode)
    }

    /// Sends changes that a program waits for. If the server refuses them, they are undone; if it cannot be reached,
    /// they are sent later.
    func settle(_ ids: [String], undo: @escaping @Sendable (inout State) -> Void) async throws {
        do {
            try await send(ids)
        } catch CloudFailure.unreachable {
            wake()
        } catch let failure as CloudFailure {
            state.withLock { undo(&$0) }
            try persist(ids)
            wake()
            throw failure.systemError
        }
    }

    // MARK: - Deleting

    func remove(_ name: String, in parent: UInt64, isFolder: Bool) async throws {
        let before = try state.withLock { state throws(SystemError) in
            let folder = try Self.folder(parent, state)
            guard let item = state.tree.child(name, of: folder) else { throw SystemError(ENOENT) }
            guard isFolder == (item.kind == .folder) else { throw SystemError(isFolder ? ENOTDIR : EISDIR) }
            guard state.tree.count(of: item.id) == 0 else { throw SystemError(ENOTEMPTY) }
            Self.delete(item, &state)
            return item
        }
        try persist([before.id])
        try await settle([before.id]) { state in
            if state.tree.items[before.id] != nil { state.tree.put(before) }
        }
        if let unsent = before.unsent { discard(unsent) }
    }

    /// Takes an item out of its folder. One that the server does not know is gone at once.
    static func delete(_ item: MountedItem, for reason: MountedItem.Pending = .deletion, _ state: inout State) {
        var item = item
        item.pending.insert(reason)
        item.generation += 1
        if item.isOnServer || state.sending.contains(item.id) {
            state.tree.put(item)
        } else {
            state.tree.remove(item.id)
        }
        guard let inode = dropInode(of: item.id, &state) else { return }
        if let file = state.open.removeValue(forKey: item.id) {
            file.state.withLock { $0.isUnlinked = true }
            state.detached[inode] = file
        }
    }

    /// Removes a content that the server will never have, unless it became another file's.
    func discard(_ unsent: String) {
        if !state.withLock({ $0.tree.hasUnsent(unsent) }) { cache.remove(unsent) }
    }
}
