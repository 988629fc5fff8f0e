import Glibc
import StratusCloudModel

/// Files that programs open.
extension MountFileSystem {
    /// Opens a file. Its content is here or on its way when this returns.
    func open(_ inode: UInt64, truncates: Bool) async throws -> UInt64 {
        let (file, handle) = try state.withLock { state throws(SystemError) in
            try Self.handle(for: inode, &state)
        }
        do {
            if truncates {
                try await truncate(file, through: handle, to: 0)
            } else {
                try await file.turn.run { try await self.load(file) }
            }
        } catch {
            close(handle)
            throw error
        }
        return handle
    }

    /// Makes a file and opens it.
    func create(_ name: String, isExecutable: Bool, in parent: UInt64) throws(SystemError) -> (
        FileAttributes, handle: UInt64
    ) {
        let added = try add(name, kind: .file, isExecutable: isExecutable, in: parent)
        return try state.withLock { state throws(SystemError) in
            let (file, handle) = try Self.handle(for: added.inode, &state)
            file.note(isWhole: true)
            return (FileAttributes(inode: added.inode, item: added.item), handle)
        }
    }

    static func handle(
        for inode: UInt64, _ state: inout State
    ) throws(SystemError) -> (OpenFile, handle: UInt64) {
        let file: OpenFile
        if let detached = state.detached[inode] {
            file = detached
        } else {
            guard let id = state.ids[inode], let item = state.tree.items[id] else { throw SystemError(ENOENT) }
            guard item.kind.hasContent else { throw SystemError(item.kind == .folder ? EISDIR : ELOOP) }
            file = state.open[id] ?? OpenFile(item)
            state.open[id] = file
        }
        let handle = state.nextHandle
        state.nextHandle += 1
        state.handles[handle] = file
        file.state.withLock { $0.handles += 1 }
        return (file, handle)
    }

    func file(_ handle: UInt64) throws(SystemError) -> OpenFile {
        guard let file = state.withLock({ $0.handles[handle] }) else { throw SystemError(EBADF) }
        return file
    }
}
