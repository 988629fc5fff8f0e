import Glibc
import StratusCloudModel

/// Renames, and what they replace.
extension MountFileSystem {
    func rename(
        _ name: String, in parent: UInt64, to newName: String, in newParent: UInt64, flags: UInt32
    ) async throws {
        // The server could not let two items change their names in one step.
        guard flags & ~Self.noReplace == 0 else { throw SystemError(EINVAL) }
        try Self.check(newName)
        let content = try contentToTakeOver(of: name, in: parent)
        defer { if let content { discard(content) } }
        let before = try state.withLock { state throws(SystemError) in
            let (from, to) = (try Self.folder(parent, state), try Self.folder(newParent, state))
            guard let item = state.tree.child(name, of: from) else { throw SystemError(ENOENT) }
            let other = state.tree.child(newName, of: to)
            if let other, other.id != item.id {
                guard flags & Self.noReplace == 0 else { throw SystemError(EEXIST) }
                try Self.checkReplacing(other, by: item, state)
            } else if from != to {
                try Self.checkRoom(in: to, state)
            }
            return Self.move(
                item, to: newName, in: to, replacing: other?.id == item.id ? nil : other, content: content, &state)
        }
        let ids = before.map(\.id)
        try persist(ids)
        try await settle(ids) { state in
            for id in ids { state.tree.remove(id) }
            for item in before { state.tree.put(item) }
        }
        for item in before.dropFirst() { if let unsent = item.unsent { discard(unsent) } }
    }

    static let noReplace: UInt32 = 1

    /// A file of the cache with the content of an item that is nothing but a new content; nil for other items.
    private func contentToTakeOver(of name: String, in parent: UInt64) throws -> String? {
        let item = try state.withLock { state throws(SystemError) in
            state.tree.child(name, of: try Self.folder(parent, state))
        }
        guard let item, item.kind == .file, item.isFresh else { return nil }
        if let unsent = item.unsent { return try cache.link(unsent) }
        guard let checksum = item.checksum else { return try cache.makeUnsentFile().name }
        return try? cache.link(checksum: checksum)
    }

    private static func checkReplacing(
        _ other: MountedItem, by item: MountedItem, _ state: borrowing State
    ) throws(SystemError) {
        if item.kind == .folder, other.kind != .folder { throw SystemError(ENOTDIR) }
        if item.kind != .folder, other.kind == .folder { throw SystemError(EISDIR) }
        guard state.tree.count(of: other.id) == 0 else { throw SystemError(ENOTEMPTY) }
    }

    /// - Returns: what the changed items were.
    private static func move(
        _ item: MountedItem, to name: String, in folder: String, replacing other: MountedItem?, content: String?,
        _ state: inout State
    ) -> [MountedItem] {
        guard let other else {
            place(item, name, folder, &state)
            return [item]
        }
        guard let content, other.kind == .file, !(state.open[item.id]?.isDirty ?? false) else {
            delete(other, &state)
            place(item, name, folder, &state)
            return [item, other]
        }
        // A program saved a file by writing a temporary one: the file keeps its record, with its versions and shares.
        var saved = other
        saved.unsent = content
        (saved.size, saved.modified, saved.isExecutable) = (item.size, item.modified, item.isExecutable)
        saved.pending.insert(.content)
        saved.generation += 1
        let inode = dropInode(of: item.id, &state)
        let file = state.open.removeValue(forKey: item.id)
        delete(item, for: .purge, &state)
        if let former = dropInode(of: other.id, &state), let open = state.open.removeValue(forKey: other.id) {
            open.state.withLock { $0.isUnlinked = true }
            state.detached[former] = open
        }
        state.tree.put(saved)
        if let inode {
            state.inodes[other.id] = inode
            state.ids[inode] = other.id
        }
        if let file {
            file.state.withLock { $0.item = saved }
            state.open[other.id] = file
        }
        return [other, item]
    }

    private static func place(_ item: MountedItem, _ name: String, _ folder: String, _ state: inout State) {
        var moved = item
        (moved.name, moved.folder) = (name, folder)
        if moved.isOnServer { moved.pending.insert(.place) }
        moved.generation += 1
        state.tree.put(moved)
        state.open[item.id]?.state.withLock { ($0.item.name, $0.item.folder) = (name, folder) }
    }
}
