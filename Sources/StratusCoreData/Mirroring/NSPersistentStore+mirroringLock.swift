import Foundation
import StratusDeviceCredentials

extension NSPersistentStore {
    /// The file whose lock the mirroring process holds; nil for a store in memory.
    package var mirroringLockPath: String? {
        guard let url, url.path != "/dev/null", type == NSSQLiteStoreType else { return nil }
        return StoreFiles.mirroringLock(of: url.path)
    }

    /// Deletes the file of the lock if the store has been deleted, and no process mirrors it.
    package func removeMirroringLockOfDeletedStore() {
        guard let url, let path = mirroringLockPath, !FileManager.default.fileExists(atPath: url.path) else { return }
        FileLock.removeFile(path)
    }
}
