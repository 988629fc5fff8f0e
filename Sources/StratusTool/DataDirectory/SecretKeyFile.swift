import Glibc
import StratusCloudCrypto

/// The file of a cloud's secret: random bytes that only the owner can read.
enum SecretKeyFile {
    /// Bytes in the file.
    static let length = 32

    /// The key; nil if there is no file.
    static func read(_ path: String) throws(ToolError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw ToolError("cannot read \(path): \(DataDirectory.systemMessage())")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count == length else {
            throw ToolError("\(path) must have \(length) bytes; restore the file from your backup")
        }
        return Array(bytes.prefix(length))
    }

    /// Makes the key. Of two processes that try at the same time one wins, and both get its key.
    static func create(_ path: String) throws(ToolError) -> [UInt8] {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        do {
            try AtomicFile.write(RandomSource.system.bytes(length), to: temporary)
        } catch {
            unlink(temporary)
            throw error
        }
        defer { unlink(temporary) }
        guard link(temporary, path) == 0 || errno == EEXIST else {
            throw ToolError("cannot create \(path): \(DataDirectory.systemMessage())")
        }
        AtomicFile.syncDirectory(of: path)
        guard let key = try read(path) else { throw ToolError("\(path) was removed meanwhile") }
        return key
    }
}
