import Glibc
import StratusCUbiquity
import StratusCloudModel

/// Checks whether a program has a file open for writing. Its later writes would be lost with the file.
final class DriveWriteCheck {
    private let file: Int32?

    /// - Throws: ``DriveFailure/changed(_:)`` if one has.
    init(_ name: String, _ kind: FileKind, in directory: DriveDirectory) throws {
        // Links have no content, and packages are replaced as a whole by the programs that write them.
        file = kind == .file ? try directory.openFile(name) : nil
        if isBeingWritten { throw DriveFailure.changed(name) }
    }

    deinit { if let file { close(file) } }

    /// Whether a program has the file open for writing now, wherever the file was moved.
    var isBeingWritten: Bool { file.map { stratus_is_being_written($0) == 1 } ?? false }
}
