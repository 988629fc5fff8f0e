import Glibc
import StratusCloudStore

/// Keeps other backups out of a directory as long as it lives.
final class BackupLock {
    private let descriptor: Int32

    /// - Throws: ``StoreError/Code/locked`` if another has it.
    init(_ directory: BackupDirectory) throws(StoreError) {
        let file = directory.path + "/lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(file)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw StoreError(.locked, "another backup to \(directory.path) is running")
        }
        self.descriptor = descriptor
    }

    deinit {
        // Explicitly: closing is not enough while a child that was just forked still has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
