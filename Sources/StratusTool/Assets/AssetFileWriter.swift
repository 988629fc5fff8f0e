import Glibc
import StratusCloudCrypto
import StratusCloudService

/// Writes the file of an asset, which is there as a whole or not at all. Blocks.
final class AssetFileWriter {
    private let path: String
    /// Where it is until it is whole; another one for each process, so that two exports do not meet.
    private let partial: String
    private let descriptor: Int32
    private var hash = SHA256()
    private(set) var written: Int64 = 0

    /// Begins a file that takes the place of `path` when it is whole.
    init(path: String) throws(ToolError) {
        self.path = path
        partial = "\(path).\(getpid())"
        unlink(partial)
        descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError("cannot create \(partial): \(DataDirectory.systemMessage())") }
    }

    /// Nothing remains of a file that is not whole.
    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        unlink(partial)
    }

    func append(_ bytes: [UInt8]) throws(ToolError) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                start += count
            } else if errno != EINTR {
                throw ToolError("cannot write \(partial): \(DataDirectory.systemMessage())")
            }
        }
        hash.update(bytes)
        written += Int64(bytes.count)
    }

    /// Gives the file the name that its bytes have in a directory, synced.
    /// - Returns: the checksum that they are known by here.
    func finish(in directory: AssetDirectory) throws(ToolError) -> String {
        let checksum = AssetID(sha256: hash.digest()).fileChecksum
        guard let final = directory.file(of: checksum) else { throw .unexpectedAnswer }
        guard fsync(descriptor) == 0, rename(partial, final) == 0 else {
            throw ToolError("cannot write \(final): \(DataDirectory.systemMessage())")
        }
        AtomicFile.syncDirectory(of: final)
        return checksum
    }

    /// Gives the file its name, synced, if its bytes are those of `fileChecksum`.
    func finish(as fileChecksum: String) throws(ToolError) {
        guard AssetID(sha256: hash.digest()).fileChecksum == fileChecksum else {
            throw ToolError("its bytes in the cloud are damaged: the checksum does not match")
        }
        guard fsync(descriptor) == 0, rename(partial, path) == 0 else {
            throw ToolError("cannot write \(path): \(DataDirectory.systemMessage())")
        }
    }
}
