import CloudCrypto
import Glibc

/// Reads a regular file in pieces. Blocks.
final class FileReader {
    let path: String
    /// Bytes of the file when it was opened.
    let size: Int64
    private let descriptor: Int32

    init(path: String) throws(ToolError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolError("cannot open \(path): \(DataDirectory.systemMessage())")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ToolError("\(path) is not a regular file")
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next bytes; empty at the end.
    func next() throws(ToolError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: ImportLimits.chunkSize) { buffer, count in
            count = 0
            var result = 0
            repeat { result = read(descriptor, buffer.baseAddress, buffer.count) } while result < 0 && errno == EINTR
            if result < 0 { failure = errno } else { count = result }
        }
        guard failure == 0 else { throw ToolError("cannot read \(path): \(String(cString: strerror(failure)))") }
        return bytes
    }

    func seek(to offset: Int64) throws(ToolError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) == off_t(offset) else {
            throw ToolError("cannot read \(path) from byte \(offset): \(DataDirectory.systemMessage())")
        }
    }

    /// The SHA-256 of the whole file, in hexadecimal. Goes back to the start.
    func digest() throws(ToolError) -> String {
        try seek(to: 0)
        var hash = SHA256()
        while true {
            let bytes = try next()
            guard !bytes.isEmpty else { break }
            hash.update(bytes)
        }
        try seek(to: 0)
        return Hex.encode(hash.digest())
    }
}
