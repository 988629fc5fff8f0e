import Glibc
import StratusCloudModel

/// Folders that programs list.
extension MountFileSystem {
    /// A folder that a program has open.
    struct OpenFolder: Sendable {
        let inode: UInt64
        /// The items as they were when the program began to read. Nil before that, because many programs open a folder
        /// only to reach the items in it.
        var items: [ListedItem]?
    }

    struct ListedItem: Sendable {
        var inode: UInt64
        var name: String
        var kind: FileKind
    }

    func openFolder(_ inode: UInt64) throws(SystemError) -> UInt64 {
        try state.withLock { state throws(SystemError) in
            _ = try Self.folder(inode, state)
            let handle = state.nextHandle
            state.nextHandle += 1
            state.folders[handle] = OpenFolder(inode: inode)
            return handle
        }
    }

    /// The items of an open folder.
    /// - Parameter offset: The first one that the program wants. From 0 the folder is read again, as `rewinddir` asks.
    func listing(_ handle: UInt64, from offset: Int) throws(SystemError) -> [ListedItem] {
        try state.withLock { state throws(SystemError) in
            guard let folder = state.folders[handle] else { throw SystemError(EBADF) }
            if offset > 0, let items = folder.items { return items }
            let items = try Self.items(of: folder.inode, &state)
            state.folders[handle]?.items = items
            return items
        }
    }

    func closeFolder(_ handle: UInt64) { state.withLock { $0.folders[handle] = nil } }

    private static func items(of inode: UInt64, _ state: inout State) throws(SystemError) -> [ListedItem] {
        let folder = try folder(inode, state)
        let parent = folder == MountedItem.root ? folder : state.tree.items[folder]?.folder ?? MountedItem.root
        let children = state.tree.children(of: folder)
        var items: [ListedItem] = []
        items.reserveCapacity(children.count + 2)
        items.append(ListedItem(inode: inode, name: ".", kind: .folder))
        items.append(ListedItem(inode: Self.inode(of: parent, &state), name: "..", kind: .folder))
        for item in children {
            items.append(ListedItem(inode: Self.inode(of: item.id, &state), name: item.name, kind: item.kind))
        }
        return items
    }
}
