import Glibc
import StratusWorkers

/// Keeps a second process, or a second store in this one, from opening the same data.
final class DirectoryLock: Sendable {
    private static let fileName = "stratus.lock"
    private static let longestHolder = 32

    /// Nil when released.
    private let descriptor: Lock<Int32?>

    /// - Throws: ``StoreError/Code/locked`` if another holds it.
    init(directory: String) throws(StoreError) {
        let path = directory + "/" + Self.fileName
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            guard error == EWOULDBLOCK else { throw StoreError(system: error, while: "locking \(path)") }
            throw StoreError(
                .locked, "\(directory) is in use by process \(holder): stop it first, or use another directory")
        }
        self.descriptor = Lock(descriptor)
        // For the message above in another process; the lock itself does not depend on it.
        let holder = Array("\(getpid())\n".utf8)
        if ftruncate(descriptor, 0) != 0 || pwrite(descriptor, holder, holder.count, 0) != holder.count {
            throw StoreError(system: errno, while: "writing \(path)")
        }
    }

    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor else { return }
            // Explicitly: closing is not enough while a child that was just forked still has a copy.
            flock(held, LOCK_UN)
            close(held)
            descriptor = nil
        }
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: longestHolder)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let digits = bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return digits.isEmpty ? "unknown" : String(decoding: digits, as: UTF8.self)
    }
}
