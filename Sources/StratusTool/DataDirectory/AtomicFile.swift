import Glibc

/// Small files that are there as a whole or not at all, for their owner only.
enum AtomicFile {
    /// Makes a new file with these bytes, synced, of mode 0600.
    /// - Throws: ``ToolError`` if there is a file, or it cannot be written; then nothing remains.
    static func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ToolError("cannot create \(path): \(DataDirectory.systemMessage())")
        }
        var written = 0
        var failure: Int32 = 0
        while written < bytes.count, failure == 0 {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { written += count } else if errno != EINTR { failure = errno }
        }
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        close(descriptor)
        guard failure == 0 else {
            unlink(path)
            throw ToolError("cannot write \(path): \(String(cString: strerror(failure)))")
        }
    }

    /// Puts these bytes in the place of a file, if there is one.
    static func replace(_ path: String, with bytes: [UInt8]) throws(ToolError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        try write(bytes, to: temporary)
        guard rename(temporary, path) == 0 else {
            let message = DataDirectory.systemMessage()
            unlink(temporary)
            throw ToolError("cannot replace \(path): \(message)")
        }
    }

    /// Makes a new name in a directory durable.
    static func syncDirectory(of path: String) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// The bytes of a file of at most `limit` bytes; nil if there is none.
    static func readIfPresent(_ path: String, limit: Int) throws(ToolError) -> [UInt8]? {
        guard access(path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return try read(path, limit: limit) }
        return nil
    }

    /// The bytes of a file of at most `limit` bytes.
    static func read(_ path: String, limit: Int) throws(ToolError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw ToolError("cannot read \(path): \(DataDirectory.systemMessage())")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
            guard bytes.count <= limit else { throw ToolError("\(path) has more than \(limit) bytes") }
        }
        guard ferror(file) == 0 else { throw ToolError("cannot read \(path): \(DataDirectory.systemMessage())") }
        return bytes
    }
}
