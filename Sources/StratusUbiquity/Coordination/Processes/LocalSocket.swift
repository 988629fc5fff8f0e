import Foundation
import Glibc

/// A connection on a Unix-domain socket that carries messages: four bytes of length, then JSON. All calls block.
final class LocalSocket: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { Glibc.close(descriptor) }

    /// Connects to a path; nil if nobody listens there.
    /// - Parameter patience: Seconds that the other side may take to accept a message.
    convenience init?(connectingTo path: String, patience: Double = CoordinationLimits.sending) {
        guard let descriptor = Self.makeSocket() else { return nil }
        self.init(descriptor: descriptor)
        // A process that was stopped takes nothing, and must not stop this one.
        var limit = timeval(tv_sec: Int(patience), tv_usec: Int(patience.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let status = Self.withAddress(path) { connect(descriptor, $0, $1) }
        guard status == 0 else { return nil }
    }

    /// Listens on a path.
    convenience init?(listeningAt path: String) {
        guard let descriptor = Self.makeSocket() else { return nil }
        self.init(descriptor: descriptor)
        unlink(path)
        guard Self.withAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 128) == 0 else {
            return nil
        }
    }

    /// The next connection; nil when the socket was shut down.
    func accept() -> LocalSocket? {
        while true {
            let connection = Glibc.accept(descriptor, nil, nil)
            if connection >= 0 {
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                return LocalSocket(descriptor: connection)
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

    /// Sends a message.
    /// - Returns: whether the other side still listens.
    @discardableResult
    func send(_ message: CoordinationMessage) -> Bool {
        guard let body = try? JSONEncoder().encode(message), body.count <= CoordinationLimits.message else {
            return false
        }
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

    /// The next message; nil when the connection ends, and for what is no message.
    func receive() -> CoordinationMessage? {
        guard let head = receive(count: 4) else { return nil }
        let size = head.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
        guard size <= CoordinationLimits.message, let body = receive(count: size) else { return nil }
        return try? JSONDecoder().decode(CoordinationMessage.self, from: Data(body))
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
