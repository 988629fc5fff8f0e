import Glibc
import StratusCloudCrypto

/// Where the control socket of a data directory lies.
///
/// Its place is `control.sock` in the directory. The address of a unix-domain socket has room for only
/// ``longestPath`` bytes, so for deeper directories it lies in a fresh directory of mode 0700 under
/// `$XDG_RUNTIME_DIR` or `/tmp`, and `control.path` in the data directory says where.
public struct ControlSocket: Sendable {
    /// Bytes of a socket's path, without the zero at its end.
    public static let longestPath = 107
    private static let name = "control.sock"
    private static let pointerName = "control.path"
    /// Bytes that a pointer file may have.
    private static let pointerLength = 4_096

    /// Where the server listens.
    public let path: String
    private let pointer: String
    /// A directory made for the socket alone, to be removed with it.
    private let ownDirectory: String?

    /// Where a running server of this data directory listens.
    public static func path(for directory: String) -> String {
        guard let file = fopen(directory + "/" + pointerName, "re") else { return directory + "/" + name }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: pointerLength)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// Chooses the place for a server that starts. The caller must hold the lock of the data directory.
    /// - Throws: ``ControlSocketError`` if no place can be made.
    public static func prepare(for directory: String) throws(ControlSocketError) -> ControlSocket {
        let pointer = directory + "/" + pointerName
        removeLeftover(pointer)
        let direct = directory + "/" + name
        guard direct.utf8.count > longestPath else {
            return ControlSocket(path: direct, pointer: pointer, ownDirectory: nil)
        }
        let parents = [getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }, "/tmp"]
        for case let parent? in parents where parent.hasPrefix("/") {
            let random = Hex.encode(RandomSource.system.bytes(8))
            let own = "\(parent)/stratus-\(random)"
            let path = own + "/" + name
            guard path.utf8.count <= longestPath, mkdir(own, 0o700) == 0 else { continue }
            guard write(path, to: pointer) else {
                rmdir(own)
                throw ControlSocketError(message: "cannot write \(pointer): \(String(cString: strerror(errno)))")
            }
            return ControlSocket(path: path, pointer: pointer, ownDirectory: own)
        }
        throw ControlSocketError(
            message:
                "\(directory) has too long a path for a control socket, and neither $XDG_RUNTIME_DIR nor /tmp "
                + "can be used"
        )
    }

    /// Removes the socket and what was made for it.
    public func remove() {
        unlink(path)
        if let ownDirectory {
            rmdir(ownDirectory)
            unlink(pointer)
        }
    }

    /// Removes what a crashed server left outside of the data directory.
    private static func removeLeftover(_ pointer: String) {
        guard access(pointer, F_OK) == 0 else { return }
        let directory = String(pointer.dropLast(pointerName.utf8.count + 1))
        let old = path(for: directory)
        unlink(pointer)
        guard old.hasSuffix("/" + name), old.contains("/stratus-") else { return }
        unlink(old)
        rmdir(String(old.dropLast(name.utf8.count + 1)))
    }

    private static func write(_ path: String, to pointer: String) -> Bool {
        let descriptor = open(pointer, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let bytes = Array(path.utf8) + [UInt8(ascii: "\n")]
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }
}

/// Why there can be no control socket.
public struct ControlSocketError: Error, Sendable, CustomStringConvertible {
    /// For the operator.
    public let message: String

    /// The message.
    public var description: String { message }
}
