import Foundation
import Glibc
import StratusWorkers
import Testing

/// A server of raw sockets: it answers each request with whatever bytes the test says.
final class TestServer: Sendable {
    /// A request as it came.
    struct Received: Sendable {
        let head: String
        let body: [UInt8]
        /// The number of the connection it came on, from 1.
        let connection: Int
    }

    /// What follows on a request.
    enum Reply: Sendable {
        case bytes([UInt8])
        case bytesThenClose([UInt8])
        case silence

        static func ok(_ body: String = "", headers: String = "") -> Reply {
            .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)".utf8))
        }
    }

    let port: Int
    /// One element for each request that arrived, and for each connection that the client closed.
    let arrivals: AsyncStream<Received>
    let closings: AsyncStream<Int>

    private let listener: Int32
    private let greeting: String
    private let answer: @Sendable (Received) -> Reply
    private let arrived: AsyncStream<Received>.Continuation
    private let closed: AsyncStream<Int>.Continuation
    private static let pool = WorkerPool(threads: 64)

    /// A server that sends `greeting` to each connection before anything else.
    init(
        unixPath: String? = nil, greeting: String = "",
        answer: @escaping @Sendable (Received) -> Reply = { _ in .silence }
    ) throws {
        (listener, port) = try unixPath.map(Self.listen(unixPath:)) ?? Self.listen()
        self.greeting = greeting
        self.answer = answer
        (arrivals, arrived) = AsyncStream.makeStream()
        (closings, closed) = AsyncStream.makeStream()
        Self.pool.submit { self.acceptConnections() }
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Stops accepting; a port that nobody listens on is left.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func acceptConnections() {
        var number = 0
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            number += 1
            let current = number
            Self.pool.submit { self.serve(connection, number: current) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32, number: Int) {
        defer {
            close(connection)
            closed.yield(number)
        }
        guard write(connection, Array(greeting.utf8)) else { return }
        var buffer: [UInt8] = []
        while let request = readRequest(connection, &buffer, number) {
            arrived.yield(request)
            switch answer(request) {
            case .bytes(let bytes): guard write(connection, bytes) else { return }
            case .bytesThenClose(let bytes):
                _ = write(connection, bytes)
                return
            case .silence: continue
            }
        }
    }

    private func readRequest(_ connection: Int32, _ buffer: inout [UInt8], _ number: Int) -> Received? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = buffer.firstRange(of: end)
        while headEnd == nil {
            guard readMore(connection, &buffer) else { return nil }
            headEnd = buffer.firstRange(of: end)
        }
        guard let headEnd else { return nil }
        let head = String(decoding: buffer[..<headEnd.lowerBound], as: UTF8.self)
        let lengthLine = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        let length = lengthLine.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
        while buffer.count < headEnd.upperBound + length {
            guard readMore(connection, &buffer) else { return nil }
        }
        let body = Array(buffer[headEnd.upperBound..<headEnd.upperBound + length])
        buffer.removeFirst(headEnd.upperBound + length)
        return Received(head: head, body: body, connection: number)
    }

    private func readMore(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    private func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func listen() throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try #require(bind(listener, pointer, length) == 0)
                try #require(getsockname(listener, pointer, &length) == 0)
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
        try #require(Glibc.listen(listener, 64) == 0)
        return (listener, port)
    }

    private static func listen(unixPath: String) throws -> (Int32, Int) {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: unixPath.utf8) }
        try withUnsafePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try #require(bind(listener, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0)
            }
        }
        try #require(Glibc.listen(listener, 64) == 0)
        return (listener, 0)
    }
}
