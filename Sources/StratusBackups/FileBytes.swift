import Glibc
import StratusCloudStore

/// Whole files and pieces of them. Blocks.
enum FileBytes {
    /// The bytes of a file of at most `limit` bytes.
    static func read(_ path: String, limit: Int) throws(StoreError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "opening \(path)") }
        defer { close(descriptor) }
        let bytes = try piece(of: descriptor, size: limit + 1, path)
        guard bytes.count <= limit else { throw StoreError(.corrupted, "\(path) has more than \(limit) bytes") }
        return bytes
    }

    /// The next bytes of a file, `size` of them unless it ends before.
    static func piece(of descriptor: Int32, size: Int, _ path: String) throws(StoreError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, size - count)
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = errno }
                if got <= 0 { break }
                count += got
            }
        }
        guard failure == 0 else { throw StoreError(system: failure, while: "reading \(path)") }
        return bytes
    }

    /// Makes a file, for its owner only, in the place of one that may be there. It is durable with a later sync.
    static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError(system: errno, while: "creating \(path)") }
        do throws(StoreError) {
            try append(bytes, to: descriptor, path)
        } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        guard close(descriptor) == 0 else { throw StoreError(system: errno, while: "writing \(path)") }
    }

    static func append(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw StoreError(system: errno, while: "writing \(path)")
            }
        }
    }
}
