import Glibc
import StratusCloudCrypto

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

    /// The next bytes, as many as `size` if there are; empty at the end.
    func next(_ size: Int = ImportLimits.chunkSize) throws(ToolError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = 0
            while count < size {
                let space = buffer.baseAddress.map { $0 + count }
                let result = read(descriptor, space, size - count)
                if result > 0 {
                    count += result
                } else if result == 0 {
                    return
                } else if errno != EINTR {
                    failure = errno
                    return
                }
            }
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
    func digest() throws(ToolError) -> String { Hex.encode(try digestBytes()) }

    /// The SHA-256 of the whole file. Goes back to the start.
    func digestBytes() throws(ToolError) -> [UInt8] {
        try seek(to: 0)
        var hash = SHA256()
        while true {
            let bytes = try next()
            guard !bytes.isEmpty else { break }
            hash.update(bytes)
        }
        try seek(to: 0)
        return hash.digest()
    }
}
