import Dispatch
import StratusCFUSE
import StratusWorkers

/// Notifies the kernel of the names, attributes and contents in its cache that changed.
final class KernelCache: Sendable {
    /// Something to forget.
    struct Entry: Sendable {
        /// The item, if the kernel knows it.
        var inode: UInt64?
        /// Whether its bytes changed, too.
        var isContent: Bool
        /// The folder that had it under `name`.
        var folder: UInt64?
        var name = ""
        /// The item, if it got another name here.
        var moved: String?
    }

    /// Waits inside the kernel while a program's call holds the folder, so it has a thread of its own.
    private let queue = DispatchQueue(label: "org.stratus.drive-mount.kernel")
    private let session = Lock<FUSESession.Reference?>(nil)

    func attach(_ session: FUSESession.Reference?) { self.session.withLock { $0 = session } }

    func forget(_ entries: [Entry]) {
        guard !entries.isEmpty else { return }
        queue.async { [session] in
            for entry in entries {
                guard let session = session.withLock({ $0 }) else { return }
                // The kernel answers with an error if it does not know the item.
                if let folder = entry.folder, !entry.name.isEmpty {
                    _ = fuse_lowlevel_notify_inval_entry(
                        session.pointer, folder, entry.name, entry.name.utf8.count)
                }
                if let inode = entry.inode {
                    _ = fuse_lowlevel_notify_inval_inode(session.pointer, inode, entry.isContent ? 0 : -1, 0)
                }
            }
        }
    }
}
