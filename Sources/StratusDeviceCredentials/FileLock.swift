import Glibc

/// A lock between processes, which ends with the process that holds it, however that ends.
public final class FileLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // Closing is not enough: a child that was forked, and has not become another program yet, has the file open, too.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Waits until nobody else holds the lock of a file, which is made if need be. Blocks.
    /// - Parameter isShared: Whether others may hold it so, too.
    public static func waiting(_ path: String, isShared: Bool = false) throws(CredentialsError) -> FileLock {
        while true {
            let lock = try waitingOnce(path, isShared)
            if lock.isOf(path) { return lock }
        }
    }

    private static func waitingOnce(_ path: String, _ isShared: Bool) throws(CredentialsError) -> FileLock {
        let descriptor = try file(path)
        while flock(descriptor, isShared ? LOCK_SH : LOCK_EX) != 0 {
            guard errno == EINTR else {
                let message = PrivateFile.systemMessage()
                close(descriptor)
                throw CredentialsError("'\(path)' cannot be locked: \(message)")
            }
        }
        return FileLock(descriptor: descriptor)
    }

    /// The lock of a file, which is made if need be; nil if somebody holds it.
    /// - Parameter isShared: Whether others may hold it so, too.
    public static func trying(_ path: String, isShared: Bool = false) throws(CredentialsError) -> FileLock? {
        while let lock = tryingOnce(try file(path), isShared) {
            if lock.isOf(path) { return lock }
        }
        return nil
    }

    private static func tryingOnce(_ descriptor: Int32, _ isShared: Bool) -> FileLock? {
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        return FileLock(descriptor: descriptor)
    }

    /// Deletes the file of a lock, unless somebody holds the lock. Whoever waits for it makes the file again.
    public static func removeFile(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0, let lock = tryingOnce(descriptor, false), lock.isOf(path) else { return }
        _ = withExtendedLifetime(lock) { unlink(path) }
    }

    /// Whether the locked file still has its name. It may have been deleted while this process waited.
    private func isOf(_ path: String) -> Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &named) == 0
            && (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
    }

    private static func file(_ path: String) throws(CredentialsError) -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CredentialsError("'\(path)' cannot be created: \(PrivateFile.systemMessage())")
        }
        return descriptor
    }
}
