import Foundation

/// A copy of an item as it is now, in a directory of its own; of a directory, a zip file.
struct UploadSnapshot {
    let url: URL
    private let directory: URL

    init(of item: URL) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            let isDirectory = try item.resourceValues(forKeys: Set([.isDirectoryKey])).isDirectory == true
            if isDirectory {
                url = directory.appendingPathComponent(item.lastPathComponent + ".zip")
                try ZipArchive.write(directory: item, to: url)
            } else {
                url = directory.appendingPathComponent(item.lastPathComponent)
                try FileManager.default.copyItem(at: item, to: url)
            }
        } catch {
            try? FileManager.default.removeItem(at: directory)
            throw error
        }
        self.directory = directory
    }

    func remove() { try? FileManager.default.removeItem(at: directory) }
}
