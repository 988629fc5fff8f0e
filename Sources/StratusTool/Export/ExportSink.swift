import Glibc

/// Where the lines of an export go: a new file, or standard output.
final class ExportSink: Sendable {
    private let path: String?
    private let descriptor: Int32

    /// Makes the file.
    /// - Throws: ``ToolError`` if there is one already, or it cannot be made.
    init(path: String?, output: Output) throws(ToolError) {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError("cannot create \(path): \(DataDirectory.systemMessage())") }
    }

    /// Writes a line. Blocks.
    func write(_ line: String) throws(ToolError) {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                throw ToolError("cannot write the export: \(DataDirectory.systemMessage())")
            }
        }
    }

    /// Makes a file durable.
    func finish() throws(ToolError) {
        guard path != nil else { return }
        let failed = fsync(descriptor) != 0
        if close(descriptor) != 0 || failed {
            throw ToolError("cannot write the export: \(DataDirectory.systemMessage())")
        }
    }

    /// Removes a file that is not whole.
    func discard() {
        guard let path else { return }
        unlink(path)
    }
}
