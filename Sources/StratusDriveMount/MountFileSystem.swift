import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// The mounted tree: what programs do to it, and what of that waits for the server.
///
/// A change is made here first, then sent. If the server refuses it, it is undone and the program gets the error. If
/// the server cannot be reached, the change stays, and is sent when it can.
final class MountFileSystem: Sendable {
    struct State: Sendable {
        var tree = ItemTree()
        /// Numbers by which the kernel knows items.
        var inodes: [String: UInt64] = [MountedItem.root: MountFileSystem.rootInode]
        var ids: [UInt64: String] = [MountFileSystem.rootInode: MountedItem.root]
        /// Numbers of items under other spellings of their names.
        var aliases: [String: UInt64] = [:]
        var nextInode = MountFileSystem.rootInode + 1
        /// Files that are open, by item.
        var open: [String: OpenFile] = [:]
        /// Open files whose inode is no item's any more: they were deleted, or have other content now.
        var detached: [UInt64: OpenFile] = [:]
        var handles: [UInt64: OpenFile] = [:]
        var nextHandle: UInt64 = 1
        /// The folders that programs have open.
        var folders: [UInt64: OpenFolder] = [:]
        /// Items that are on their way to the server.
        var sending: Set<String> = []
        var sendWaiters: [WaitingSend] = []
        /// The room of the account, as the server said last.
        var room: FileRoom?
    }

    static let rootInode: UInt64 = 1

    let state = Lock(State())
    let database: CKDatabase
    let store: MountStore
    let cache: ContentCache
    /// The threads on which work that waits for a disk runs.
    let pool: WorkerPool
    /// Called when a change waits for the server.
    let wake: @Sendable () -> Void
    /// Notifies the kernel of attributes and names that it must read again.
    let kernel: KernelCache
    private let started = MountedItem.now

    init(
        database: CKDatabase, store: MountStore, cache: ContentCache, items: [MountedItem], pool: WorkerPool,
        kernel: KernelCache, wake: @escaping @Sendable () -> Void
    ) {
        self.database = database
        self.store = store
        self.cache = cache
        self.pool = pool
        self.kernel = kernel
        self.wake = wake
        state.withLock { state in
            for item in items { state.tree.put(item) }
        }
    }

    // MARK: - Items

    /// The attributes of an inode.
    func attributes(of inode: UInt64) throws(SystemError) -> FileAttributes {
        try state.withLock { state throws(SystemError) in try attributes(of: inode, state) }
    }

    func attributes(of inode: UInt64, _ state: borrowing State) throws(SystemError) -> FileAttributes {
        if inode == Self.rootInode {
            let root = MountedItem(id: MountedItem.root, name: "", folder: "", kind: .folder, at: started)
            return FileAttributes(inode: inode, item: root)
        }
        if let file = state.detached[inode] { return file.attributes(inode) }
        guard let id = state.ids[inode], let item = state.tree.items[id], item.isShown else {
            throw SystemError(ENOENT)
        }
        if let file = state.open[id], file.isDirty { return file.attributes(inode) }
        return FileAttributes(inode: inode, item: item)
    }

    func lookUp(_ name: String, in parent: UInt64) throws(SystemError) -> FileAttributes {
        try state.withLock { state throws(SystemError) in
            let folder = try Self.folder(parent, state)
            guard let item = state.tree.child(name, of: folder) else { throw SystemError(ENOENT) }
            let inode = Self.inode(of: item.id, &state)
            guard !name.utf8.elementsEqual(item.name.utf8) else { return try attributes(of: inode, state) }
            return try attributes(of: Self.alias(of: item.id, &state), state)
        }
    }

    /// The number of an item under another spelling of its name. The kernel does nothing for a rename between two names
    /// of one number, so the spelling could not be changed with the same one.
    private static func alias(of id: String, _ state: inout State) -> UInt64 {
        if let alias = state.aliases[id] { return alias }
        let alias = state.nextInode
        state.nextInode += 1
        state.aliases[id] = alias
        state.ids[alias] = id
        return alias
    }

    /// Removes the numbers of an item that does not exist any more, or that is to be another one to the kernel.
    /// - Returns: its number.
    @discardableResult
    static func dropInode(of id: String, _ state: inout State) -> UInt64? {
        if let alias = state.aliases.removeValue(forKey: id) { state.ids[alias] = nil }
        guard let inode = state.inodes.removeValue(forKey: id) else { return nil }
        state.ids[inode] = nil
        return inode
    }

    func item(_ inode: UInt64) throws(SystemError) -> MountedItem {
        try state.withLock { state throws(SystemError) in
            guard let id = state.ids[inode], let item = state.tree.items[id] else { throw SystemError(ENOENT) }
            return item
        }
    }

    static func inode(of id: String, _ state: inout State) -> UInt64 {
        if let inode = state.inodes[id] { return inode }
        let inode = state.nextInode
        state.nextInode += 1
        state.inodes[id] = inode
        state.ids[inode] = id
        return inode
    }

    /// The identifier of a folder, which must still be there.
    static func folder(_ inode: UInt64, _ state: borrowing State) throws(SystemError) -> String {
        guard let id = state.ids[inode] else { throw SystemError(ENOENT) }
        guard id != MountedItem.root else { return id }
        guard let item = state.tree.items[id], item.isShown else { throw SystemError(ENOENT) }
        guard item.kind == .folder else { throw SystemError(ENOTDIR) }
        return id
    }

    // MARK: - Keeping

    /// Writes what is known of some items to disk. Blocks.
    func persist(_ ids: some Sequence<String> & Sendable) throws(SystemError) {
        try store.write { [state] in
            let ids = Array(ids)
            return state.withLock { state in ids.map { ($0, state.tree.items[$0]) } }
        }
    }
}

/// The attributes of an item for the kernel.
struct FileAttributes: Sendable {
    var inode: UInt64
    var kind: FileKind
    var size: Int64
    var modified: Int64
    var created: Int64
    var isExecutable: Bool
    /// The name that the item has, which may differ from the one it was found by.
    var name: String

    init(inode: UInt64, item: MountedItem) {
        self.inode = inode
        kind = item.kind
        size = item.size
        modified = item.modified
        created = item.created
        isExecutable = item.isExecutable
        name = item.name
    }
}

extension OpenFile {
    func attributes(_ inode: UInt64) -> FileAttributes {
        state.withLock { state in
            var attributes = FileAttributes(inode: inode, item: state.item)
            attributes.size = state.size
            return attributes
        }
    }
}
