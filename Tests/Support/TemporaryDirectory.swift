import Foundation

/// A directory of a test's own, removed when nobody holds it any more, or when the tests end.
public final class TemporaryDirectory: Sendable {
    /// Its path, without a slash at the end.
    public let path: String

    /// Makes an empty directory.
    public init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
        Leftovers.add(directory: path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        Leftovers.remove(directory: path)
    }
}
