import Foundation
import Glibc

/// A directory of a test's own, removed when nobody holds it any more, or when the tests end.
public final class TemporaryDirectory: Sendable {
    /// Its path, without a slash at the end.
    public let path: String

    /// Makes an empty directory.
    /// - Parameter inMemory: Whether it is in memory, if the system has a file system there: for tests that are not about
    ///   disks and would wait for them all the time.
    public init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            inMemory && access(memory, W_OK | X_OK) == 0
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        let url = parent.appendingPathComponent("stratus-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        Leftovers.add(directory: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        Leftovers.remove(directory: path)
    }
}
