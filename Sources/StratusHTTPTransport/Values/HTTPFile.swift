import Glibc

/// An open file to send parts of. Closed when the last response that uses it is sent.
public final class HTTPFile: Sendable {
    let descriptor: Int32

    /// Opens a regular file for reading.
    /// - Throws: `HTTPServerError` with code `.system` when it cannot be opened.
    public init(path: String) throws(HTTPServerError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HTTPServerError(.system, "open \(path)", errno: errno) }
    }

    /// Takes over an open descriptor and closes it at the end.
    public init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A descriptor for somebody who will close it, or -1.
    func duplicate() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
}
