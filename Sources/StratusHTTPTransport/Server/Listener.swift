import Glibc

/// A listening socket.
struct Listener {
    let socket: Int32
    /// The bound port; 0 for a unix-domain socket.
    let port: UInt16
    /// The socket file, to be removed at the end.
    let path: String?

    /// Connections that wait to be accepted.
    private static let backlog: Int32 = 4_096

    init(_ address: HTTPServerConfiguration.Address) throws(HTTPServerError) {
        switch address {
        case .network(let host, let port): self = try Self.network(host: host, port: port)
        case .unixSocket(let path): self = try Self.unixSocket(at: path)
        }
    }

    private init(socket: Int32, port: UInt16, path: String?) {
        (self.socket, self.port, self.path) = (socket, port, path)
    }

    /// Stops listening; connections that were not accepted are reset.
    func close() {
        if let path { unlink(path) }
        Glibc.close(socket)
    }

    /// Accepts a connection without waiting.
    func accept() -> (socket: Int32, address: sockaddr_storage, length: socklen_t) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let client = withSockaddr(&address) { Glibc.accept(socket, $0, &length) }
        if client >= 0 { _ = fcntl(client, F_SETFD, FD_CLOEXEC) }
        return (client, address, length)
    }

    private static func network(host: String, port: UInt16) throws(HTTPServerError) -> Listener {
        let place = "\(host):\(port)"
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let info = found?.pointee else {
            throw HTTPServerError(.addressUnavailable, "resolve \(host)")
        }
        defer { freeaddrinfo(found) }
        let socket = try open(info.ai_family)
        var (yes, no): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if info.ai_family == AF_INET6 { setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size) }
        guard bind(socket, info.ai_addr, info.ai_addrlen) == 0, listen(socket, backlog) == 0 else {
            throw failure(of: socket, place)
        }
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withSockaddr(&bound) { getsockname(socket, $0, &length) }
        // The port lies at the same place for both families.
        let boundPort = withUnsafeBytes(of: bound) { $0.loadUnaligned(as: sockaddr_in.self).sin_port.bigEndian }
        return Listener(socket: socket, port: boundPort, path: nil)
    }

    private static func unixSocket(at path: String) throws(HTTPServerError) -> Listener {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard path.utf8.count < room.count, !path.isEmpty else { return false }
            room.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw HTTPServerError(.invalidSocketPath, "listen on \(path)") }
        try removeStale(path, address)
        let socket = try open(AF_UNIX)
        // The mode of the socket before binding becomes the file's, so that it is never open to others.
        fchmod(socket, 0o600)
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        guard withSockaddr(&address, { bind(socket, $0, size) }) == 0, chmod(path, 0o600) == 0,
            listen(socket, backlog) == 0
        else { throw failure(of: socket, path) }
        return Listener(socket: socket, port: 0, path: path)
    }

    /// Removes a socket file that nobody listens on any more.
    private static func removeStale(_ path: String, _ address: sockaddr_un) throws(HTTPServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw HTTPServerError(.invalidSocketPath, "listen on \(path)")
        }
        let probe = try open(AF_UNIX)
        defer { Glibc.close(probe) }
        var address = address
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        if withSockaddr(&address, { connect(probe, $0, size) }) != 0, errno == ECONNREFUSED {
            unlink(path)
        } else {
            throw HTTPServerError(.addressInUse, "listen on \(path)")
        }
    }

    /// A socket that does not wait.
    private static func open(_ family: Int32) throws(HTTPServerError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let result = Glibc.socket(family, kind, 0)
        guard result >= 0 else { throw HTTPServerError(.system, "open a socket", errno: errno) }
        return result
    }

    private static func failure(of socket: Int32, _ place: String) -> HTTPServerError {
        let error = HTTPServerError(binding: place, errno: errno)
        Glibc.close(socket)
        return error
    }
}

/// Calls `body` with a socket address as the system's functions want it.
func withSockaddr<Address, Result>(
    _ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
    }
}
