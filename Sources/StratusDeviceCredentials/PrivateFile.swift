import Glibc

/// Files that nobody but their owner may read, there as a whole or not at all. Blocks.
package enum PrivateFile {
    /// The bytes of a file; nil if there is none.
    /// - Throws: if others may read or change it, or it is somebody else's, or has more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(CredentialsError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CredentialsError("'\(path)' cannot be read: \(systemMessage())")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialsError("'\(path)' is not a file")
        }
        try check(status, path, "chmod 600")
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CredentialsError("'\(path)' cannot be read: \(systemMessage())") }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= limit else { throw CredentialsError("'\(path)' has more than \(limit) bytes") }
        }
    }

    /// Puts bytes in the place of a file, of mode 0600. They survive a crash when this returns.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(CredentialsError) {
        let temporary = "\(path).\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CredentialsError("'\(temporary)' cannot be created: \(systemMessage())") }
        var written = 0
        var failure: Int32 = 0
        while written < bytes.count, failure == 0 {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { written += count } else if errno != EINTR { failure = errno }
        }
        if failure == 0, fsync(descriptor) != 0 { failure = errno }
        close(descriptor)
        if failure == 0, rename(temporary, path) != 0 { failure = errno }
        if failure == 0 { failure = syncDirectory(of: path) }
        guard failure == 0 else {
            unlink(temporary)
            throw CredentialsError("'\(path)' cannot be written: \(String(cString: strerror(failure)))")
        }
    }

    /// Makes the new name survive a crash.
    /// - Returns: the system's error; 0 if there is none.
    private static func syncDirectory(of path: String) -> Int32 {
        guard let slash = path.lastIndex(of: "/") else { return 0 }
        let descriptor = open(
            slash == path.startIndex ? "/" : String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return fsync(descriptor) == 0 ? 0 : errno
    }

    /// Makes a directory that only its owner may enter, and those above it; or makes sure that it is one.
    package static func makeDirectory(_ path: String) throws(CredentialsError) {
        if mkdir(path, 0o700) != 0 {
            if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
                try makeParents(of: String(path[..<slash]))
                if mkdir(path, 0o700) == 0 { return }
            }
            guard errno == EEXIST else { throw CredentialsError("'\(path)' cannot be created: \(systemMessage())") }
        }
        try checkDirectory(path)
    }

    /// - Throws: if others may enter the directory, or it is somebody else's. One that is not there is none of these.
    static func checkDirectory(_ path: String) throws(CredentialsError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw CredentialsError("'\(path)' cannot be read: \(systemMessage())")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw CredentialsError("'\(path)' is not a directory") }
        try check(status, path, "chmod 700")
    }

    private static func makeParents(of path: String) throws(CredentialsError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
            throw CredentialsError("'\(path)' cannot be created: \(systemMessage())")
        }
        try makeParents(of: String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CredentialsError("'\(path)' cannot be created: \(systemMessage())")
        }
    }

    private static func check(_ status: stat, _ path: String, _ remedy: String) throws(CredentialsError) {
        guard status.st_uid == geteuid() else { throw CredentialsError("'\(path)' belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw CredentialsError(
                "'\(path)' has the mode 0\(mode), so other users can access it; run: \(remedy) '\(path)'")
        }
    }

    static func systemMessage() -> String { String(cString: strerror(errno)) }
}
