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

    private static func checkRoom(in folder: String, _ state: borrowing State) throws(SystemError) {
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
        let isUsed = state.withLock { state in state.tree.items.values.contains { $0.unsent == unsent } }
        if !isUsed { cache.remove(unsent) }
    }

    // MARK: - Renaming

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
        guard let checksum = item.checksum else { return try cache.makeFile().name }
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

    // MARK: - Attributes

    /// Sets the modification time or the executable bit.
    func setAttributes(_ inode: UInt64, modified: Int64?, isExecutable: Bool?) async throws {
        let change = try state.withLock { state throws(SystemError) -> (before: MountedItem, isHeld: Bool)? in
            if let file = state.detached[inode] {
                file.set(modified: modified, isExecutable: isExecutable)
                return nil
            }
            guard let id = state.ids[inode] else { throw SystemError(ENOENT) }
            guard let before = state.tree.items[id] else { return nil }
            var item = before
            item.modified = modified ?? item.modified
            item.isExecutable = isExecutable ?? item.isExecutable
            guard item != before else {
                state.open[id]?.set(modified: modified, isExecutable: isExecutable)
                return nil
            }
            if item.isOnServer { item.pending.insert(.attributes) }
            item.generation += 1
            state.tree.put(item)
            state.open[id]?.set(modified: modified, isExecutable: isExecutable)
            // What is open for writing is sent when it is closed.
            return (before, state.open[id].map { $0.isDirty || !item.isOnServer } ?? false)
        }
        guard let change, !change.isHeld else { return }
        let before = change.before
        try persist([before.id])
        try await settle([before.id]) { state in
            if state.tree.items[before.id] != nil { state.tree.put(before) }
        }
    }
}

extension OpenFile {
    func set(modified: Int64?, isExecutable: Bool?) {
        state.withLock { state in
            state.item.modified = modified ?? state.item.modified
            state.item.isExecutable = isExecutable ?? state.item.isExecutable
        }
    }
}
