import Glibc
import StratusCUbiquity
import StratusCloudModel

/// Programs that have a file open for writing: what they write later would be lost with the file.
final class DriveWriters {
    private let file: Int32?

    /// - Throws: ``DriveFailure/changed(_:)`` if there are some.
    init(_ name: String, _ kind: FileKind, in directory: DriveDirectory) throws {
        // Links have no content, and packages are replaced as a whole by the programs that write them.
        file = kind == .file ? try directory.openFile(name) : nil
        if areThere { throw DriveFailure.changed(name) }
    }

    deinit { if let file { close(file) } }

    /// Whether there are some now, wherever the file was moved.
    var areThere: Bool { file.map { stratus_is_being_written($0) != 0 } ?? false }
}
