import Glibc

/// Why a server could not start, or a file not be opened.
public struct HTTPServerError: Error, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: Sendable {
        /// Another socket has the address.
        case addressInUse
        /// The host is no address of this machine, or cannot be resolved.
        case addressUnavailable
        /// The process may not bind the port or create the socket file.
        case permissionDenied
        /// A path too long for a unix-domain socket, or one that is taken by something other than a socket.
        case invalidSocketPath
        /// The certificate or key is not PEM, or they do not fit together.
        case invalidCertificate
        /// The process may not open as many files as a server needs.
        case tooFewDescriptors
        /// The server was started before.
        case alreadyStarted
        /// Any other failure of a system call; see `errno`.
        case system
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted.
    public let attempt: String
    /// The system's error number, where there is one.
    public let errno: Int32?

    init(_ code: Code, _ attempt: String, errno: Int32? = nil) {
        self.code = code
        self.attempt = attempt
        self.errno = errno
    }

    /// The failure of binding or listening at `place`.
    init(binding place: String, errno: Int32) {
        let code: Code =
            switch errno {
            case EADDRINUSE: .addressInUse
            case EADDRNOTAVAIL: .addressUnavailable
            case EACCES, EPERM, EROFS: .permissionDenied
            case ENOENT, ENOTDIR, ENAMETOOLONG: .invalidSocketPath
            default: .system
            }
        self.init(code, "listen on \(place)", errno: errno)
    }

    /// One line for people.
    public var description: String {
        if code == .tooFewDescriptors {
            return "\(attempt): at least \(Descriptors.least) are needed; raise the limit of open files (ulimit -n, or "
                + "LimitNOFILE of a systemd unit)"
        }
        guard let errno else { return "\(attempt): \(code)" }
        return "\(attempt): \(code): \(String(cString: strerror(errno)))"
    }
}
