import Foundation
import Glibc
import StratusCUbiquity

/// Contents of which only the beginning may have come. They outlive the process, so that a download continues.
extension DriveFolder {
    private var partials: String { path + "/" + UbiquityContainer.ownFolder + "/partial" }

    /// The name of the file for a content of an item.
    static func partialName(_ id: String, _ checksum: String) -> String {
        checksum.utf8.map { String($0, radix: 16) }.joined() + "-" + StableName.of([id])
    }

    /// The file for a content of an item, which is made if need be.
    /// - Returns: Its path, and how many bytes it has.
    func partial(_ id: String, _ checksum: String) throws -> (path: String, size: Int64) {
        try FileManager.default.createDirectory(
            atPath: partials, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let path = partials + "/" + Self.partialName(id, checksum)
        var status = stat()
        if lstat(path, &status) == 0 {
            // Writing to a file that has another name, too, would change an item.
            if status.kind == .file, status.st_nlink == 1 { return (path, status.stamp.size) }
            try FileManager.default.removeItem(atPath: path)
        }
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DriveFailure.system(errno, path) }
        close(file)
        return (path, 0)
    }

    /// The names of the files.
    var partialNames: [String] { (try? FileManager.default.contentsOfDirectory(atPath: partials)) ?? [] }

    /// Whether there are contents.
    var hasPartials: Bool { !partialNames.isEmpty }

    func removePartial(_ name: String) { discard(partials + "/" + name) }
}

/// A content in staging, ready to take its place.
struct DriveStaged {
    /// The file, or the package that was unpacked.
    let path: String
    /// The file with all bytes that came; nil for an empty content. That of a file in staging was moved away.
    let content: String?
    let isPackage: Bool
}

extension DriveFolder {
    /// Lets the system begin to write a content to the disk, so that ``synchronize(_:_:)`` takes less time.
    func beginWriting(_ path: String) {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        stratus_begin_writing(file)
        close(file)
    }

    /// Returns when a content that is to take its place is on the disk. One that cannot be written is kept for the next
    /// attempt.
    /// - Parameter name: The name of the item, for errors.
    func synchronize(_ staged: DriveStaged, _ name: String) throws {
        do {
            try FileReplacement.synchronize(URL(fileURLWithPath: staged.path))
        } catch {
            keep(staged)
            let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw DriveFailure.system(Int32(cause?.code ?? Int(EIO)), name)
        }
    }

    /// Removes a content that has taken its place, or is not wanted any more.
    func discard(_ staged: DriveStaged) {
        discard(staged.path)
        if let content = staged.content { discard(content) }
    }

    /// Keeps a content that cannot take its place now, so that it is not downloaded again.
    func keep(_ staged: DriveStaged) {
        guard let content = staged.content, !staged.isPackage else { return discard(staged.path) }
        if checkpoints.allows(.moving, "") { rename(staged.path, content) }
    }
}
