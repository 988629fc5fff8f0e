import Foundation

/// A folder for the bytes of values that are sent as assets, until they have been sent.
final class AssetStaging: Sendable {
    private let folder: URL

    /// - Parameter folder: A folder that holds nothing else. What an earlier process left there is removed.
    init(_ folder: URL) {
        self.folder = folder
        removeAll()
    }

    deinit { removeAll() }

    /// Writes bytes to a new file.
    func file(with data: Data) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent(UUID().uuidString)
        try data.write(to: url)
        return url
    }

    /// Removes all files.
    func removeAll() {
        // A file that cannot be removed is removed by the next process.
        try? FileManager.default.removeItem(at: folder)
    }
}
