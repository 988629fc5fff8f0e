import Foundation
import Glibc
import StratusCUbiquity

/// A connection on a Unix-domain socket that carries messages: four bytes of length, then JSON. Both ends are processes
/// of one user. All calls block.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// Connects to a path; nil if no process listens there.
    /// - Parameters:
    ///   - patience: Seconds that the other side may take to accept a message.
    ///   - user: The user whose process has to listen there.
    convenience init?(
        connectingTo path: String, patience: Double = CoordinationLimits.sending, user: uid_t = geteuid()
    ) {
        guard let descriptor = Self.makeSocket() else { return nil }
        self.init(descriptor: descriptor)
        // A process that was stopped takes nothing, and must not stop this one.
        limit(SO_SNDTIMEO, patience)
        let status = Self.withAddress(path) { connect(descriptor, $0, $1) }
        guard status == 0, peerUser == user else { return nil }
    }

    /// Listens on a path, which only the user of this process may connect to.
    convenience init?(listeningAt path: String) {
        guard let descriptor = Self.makeSocket() else { return nil }
        self.init(descriptor: descriptor)
        unlink(path)
        // No process can connect before `listen`.
        guard Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0, chmod(path, 0o600) == 0,
            listen(descriptor, 128) == 0
        else { return nil }
    }

    /// The user whose process has the other end; nil if the system does not say.
    var peerUser: uid_t? {
        var user: uid_t = 0
        return stratus_peer_user(descriptor, &user) == 0 ? user : nil
    }

    /// Sets the seconds after which ``receive(limit:)`` gives up when no bytes arrive; nil for no limit.
    func limitReceiving(to seconds: Double?) { limit(SO_RCVTIMEO, seconds ?? 0) }

    private func limit(_ option: Int32, _ seconds: Double) {
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The next connection; nil when the socket was shut down.
    /// - Parameter user: The user whose connections are taken. Those of others are closed.
    func accept(from user: uid_t = geteuid()) -> LocalSocket? {
        while true {
            let descriptor = Glibc.accept(descriptor, nil, nil)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                let connection = LocalSocket(descriptor: descriptor)
                guard connection.peerUser == user else { continue }
                connection.limit(SO_SNDTIMEO, CoordinationLimits.sending)
                return connection
            }
            // A client that gave up meanwhile, or no descriptors at the moment.
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
            default: return nil
            }
        }
    }

    /// Ends the connection in both directions, which wakes the threads that wait on it.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends the bytes of a message.
    /// - Returns: false if there are more than `limit`, or if the receiver does not accept them.
    @discardableResult
    func send(_ body: Data, limit: Int) -> Bool {
        guard body.count <= limit else { return false }
        return sendBytes(withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) } + Array(body))
    }

    /// Sends bytes as they are.
    func sendBytes(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// The bytes of the next message; nil when the connection ends, and for a message of more than `limit` bytes.
    func receive(limit: Int) -> Data? {
        guard let head = receive(count: 4) else { return nil }
        let size = head.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard size <= limit, let body = receive(count: size) else { return nil }
        return Data(body)
    }

    private func receive(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var received = 0
        while received < count {
            let more = bytes[received...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return nil }
            received += more
        }
        return bytes
    }

    private static func makeSocket() -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        return descriptor >= 0 ? descriptor : nil
    }

    private static func withAddress(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let bytes = Array(path.utf8)
        guard bytes.count <= CoordinationLimits.socketPath else {
            errno = ENAMETOOLONG
            return -1
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
