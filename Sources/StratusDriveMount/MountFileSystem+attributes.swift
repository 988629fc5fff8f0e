import Glibc

/// Modification times and executable bits.
extension MountFileSystem {
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
            // A file that is open for writing is sent when it is closed.
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
