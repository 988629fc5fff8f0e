import Glibc
import StratusWorkers

/// Many devices that wait for notifications, on one thread: long polls, which ask again after each answer, and streams.
///
/// `@unchecked Sendable`: after `start`, all but `heard` is touched by its own thread only.
final class Listeners: @unchecked Sendable {
    /// A notification that arrived.
    struct Arrival {
        /// The number in the record's name.
        let number: Int
        /// Of its first byte, on ``Clock``.
        let time: UInt64
    }

    private struct Connection {
        var request: [UInt8]
        var isStream: Bool
        var received: [UInt8] = []
        var firstByte: UInt64 = 0
    }

    private var polls: [pollfd] = []
    private var connections: [Int32: Connection] = [:]
    private let heard = Lock((arrivals: [Arrival](), answers: 0, closed: 0))
    private let port: Int

    init(port: Int) { self.port = port }

    var arrivals: [Arrival] { heard.withLock { $0.arrivals } }
    /// Answers of long polls, whatever they said.
    var answers: Int { heard.withLock { $0.answers } }
    /// Connections that the server ended.
    var closed: Int { heard.withLock { $0.closed } }

    func add(path: String, isStream: Bool) throws {
        let socket = try TCP.connect(port: port)
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        connections[socket] = Connection(request: request, isStream: isStream)
        polls.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
        try TCP.send(request, on: socket)
    }

    func start() {
        let context = Unmanaged.passRetained(self).toOpaque()
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Listeners>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
        pthread_detach(thread)
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&polls, nfds_t(polls.count), -1) >= 0 {
            let now = Clock.now()
            for index in polls.indices where polls[index].revents != 0 {
                // A socket of -1 is passed over from now on.
                polls[index].fd = receive(polls[index].fd, at: now, &buffer)
            }
        }
    }

    /// Gives the socket to listen at from now on: each answer of a poll ends its connection.
    private func receive(_ socket: Int32, at now: UInt64, _ buffer: inout [UInt8]) -> Int32 {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0, var connection = connections[socket] else {
            close(socket)
            connections[socket] = nil
            heard.withLock { $0.closed += 1 }
            return -1
        }
        if connection.received.isEmpty { connection.firstByte = now }
        connection.received += buffer[..<count]
        while let end = Self.endOfMessage(connection) {
            let message = connection.received[..<end]
            let number = Self.number(in: message)
            let time = connection.firstByte
            heard.withLock { heard in
                if let number { heard.arrivals.append(Arrival(number: number, time: time)) }
                if !connection.isStream { heard.answers += 1 }
            }
            connection.received.removeFirst(end)
            connection.firstByte = now
            if !connection.isStream { return pollAgain(connection, instead: socket) }
        }
        connections[socket] = connection
        return socket
    }

    private func pollAgain(_ connection: Connection, instead socket: Int32) -> Int32 {
        close(socket)
        connections[socket] = nil
        guard let next = try? TCP.connect(port: port), (try? TCP.send(connection.request, on: next)) != nil else {
            heard.withLock { $0.closed += 1 }
            return -1
        }
        connections[next] = Connection(request: connection.request, isStream: false)
        return next
    }

    /// An event of a stream ends with an empty line (here also its head does), an answer as its length says.
    private static func endOfMessage(_ connection: Connection) -> Int? {
        let bytes = connection.received
        if connection.isStream { return bytes.firstRange(of: Array("\n\n".utf8))?.upperBound }
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            let field = bytes[..<head.lowerBound].firstRange(of: Array("Content-Length: ".utf8))
        else { return nil }
        let length = bytes[field.upperBound...].prefix { (0x30...0x39).contains($0) }.reduce(0) {
            $0 * 10 + Int($1) - 0x30
        }
        let end = head.upperBound + length
        return end <= bytes.count ? end : nil
    }

    private static let mark = Array(#""rid":"w"#.utf8)

    private static func number(in message: ArraySlice<UInt8>) -> Int? {
        guard let start = message.firstRange(of: mark)?.upperBound else { return nil }
        return message[start...].prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}

/// Blocking connections to this machine.
enum TCP {
    static func connect(port: Int) throws -> Int32 {
        // Not for the load generator, whose own descriptors must be small.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard descriptor >= 0, result == 0 else { throw BenchmarkError("cannot connect: errno \(errno)") }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    static func send(_ bytes: [UInt8], on socket: Int32) throws {
        guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw BenchmarkError("cannot send: errno \(errno)")
        }
    }
}
