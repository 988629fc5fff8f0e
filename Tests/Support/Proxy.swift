import Foundation
import Glibc
import StratusWorkers

/// A way to a server that can be disturbed: a listener of its own that passes bytes on in both directions.
public final class Proxy: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// An answer was kept back.
        case swallowed
        /// A connection was cut.
        case cut
        /// The client closed a connection over which this was asked for last.
        case closedByClient(String)
    }

    /// What is done to requests whose first line holds a text.
    private struct Rule {
        var text: String
        /// Keeps answers back.
        var swallows = false
        /// Cuts the connection after so many bytes of the request, once.
        var cutsAfterSending: Int?
        /// Cuts the connection after so many bytes of the answer, once.
        var cutsAfterReceiving: Int?
        /// Given in the server's place, and how many times yet.
        var answer: (text: String, times: Int)?
        /// Bytes of such requests and of their answers that still pass; nil for any number.
        var left: Int?
    }

    private struct State {
        var rule: Rule?
        var requests: [String] = []
        var connections = 0
    }

    /// Stands in the place of the server's address.
    public let url: String
    /// What happens, in order; to be read by one task.
    public let events: AsyncStream<Event>
    private let tell: AsyncStream<Event>.Continuation
    private let listener: Int32
    private let port: UInt16
    private let state = Lock(State())

    /// Listens, and passes everything on to a server.
    /// - Parameter server: `http://127.0.0.1:PORT`
    public init(to server: String) throws {
        guard let port = server.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Tool.Failure(description: "no port: \(server)")
        }
        self.port = port
        (events, tell) = AsyncStream<Event>.makeStream()
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw Tool.Failure(description: "the proxy cannot listen") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [self] in accept() }
    }

    /// The first lines of the requests that came, in order.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Connections that clients made.
    public var connections: Int { state.withLock { $0.connections } }

    /// Lets everything through again.
    public func pass() { state.withLock { $0.rule = nil } }

    /// Keeps back the answers to requests whose first line holds a text.
    public func swallow(_ text: String) { state.withLock { $0.rule = Rule(text: text, swallows: true) } }

    /// Cuts the connection of the next such request after so many bytes of it.
    public func cut(_ text: String, afterSending count: Int) {
        state.withLock { $0.rule = Rule(text: text, cutsAfterSending: count) }
    }

    /// Cuts the connection of the next such request after so many bytes of its answer.
    public func cut(_ text: String, afterReceiving count: Int) {
        state.withLock { $0.rule = Rule(text: text, cutsAfterReceiving: count) }
    }

    /// Lets so many bytes of such requests and of their answers pass, of all of them together. Then cuts the connection,
    /// and answers further such requests with 503 until ``pass()``.
    public func breakOff(_ text: String, after count: Int) {
        state.withLock { $0.rule = Rule(text: text, left: count) }
    }

    /// The bytes of a part that still pass before the connection is cut; nil if all do.
    private func passing(_ count: Int, _ pair: Pair) -> Int? {
        let line = pair.request.withLock { $0.line }
        return state.withLock { state in
            guard let rule = state.rule, let left = rule.left, line.contains(rule.text) else { return nil }
            state.rule?.left = left - count
            guard count > left else { return nil }
            let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}"
            state.rule = Rule(text: rule.text, answer: (answer, .max))
            return left
        }
    }

    /// Answers the next such requests in the server's place, which does not see them.
    /// - Parameter status: such as `503 Service Unavailable`.
    public func answer(_ text: String, times: Int, _ status: String, headers: [String] = [], body: String) {
        let lines = ["HTTP/1.1 " + status, "Content-Length: \(body.utf8.count)"] + headers + ["", body]
        state.withLock { $0.rule = Rule(text: text, answer: (lines.joined(separator: "\r\n"), times)) }
    }

    /// Nobody can connect any more.
    public func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    deinit { close(listener) }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            state.withLock { $0.connections += 1 }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = Self.loopback(port)
            let isConnected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            let pair = Pair(client: client, server: server)
            guard isConnected else { continue }
            Thread.detachNewThread { [self] in send(pair) }
            Thread.detachNewThread { [self] in receive(pair) }
        }
    }

    /// The two sockets of a connection, closed when both directions are done.
    private final class Pair: Sendable {
        let client: Int32
        let server: Int32
        /// The first line of the latest request, and bytes of it that were sent.
        let request = Lock((line: "", sent: 0, received: 0))

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        deinit {
            close(client)
            close(server)
        }

        func end() {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private func rule(for pair: Pair) -> Rule? {
        let line = pair.request.withLock { $0.line }
        return state.withLock { $0.rule.flatMap { line.contains($0.text) ? $0 : nil } }
    }

    /// The answer that is given in the server's place to the request that just began.
    private func nextAnswer(to line: String) -> String? {
        state.withLock { state in
            guard let rule = state.rule, line.contains(rule.text), let answer = rule.answer, answer.times > 0 else {
                return nil
            }
            state.rule?.answer?.times -= 1
            return answer.text
        }
    }

    /// Takes the rest of a request, and answers it.
    private static func answer(_ pair: Pair, _ beginning: ArraySlice<UInt8>, _ text: String) -> Bool {
        var bytes = Array(beginning)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < (requestSize(bytes) ?? .max) {
            let count = recv(pair.client, &buffer, buffer.count, 0)
            guard count > 0 else { return false }
            bytes += buffer[..<count]
        }
        return write(Array(text.utf8)[...], to: pair.client)
    }

    /// The bytes of a request with its body; nil while its header fields have not all come.
    private static func requestSize(_ bytes: [UInt8]) -> Int? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let fields = text[..<end.lowerBound].split(separator: "\r\n").map { $0.split(separator: ":", maxSplits: 1) }
        let length = fields.first { $0.count == 2 && $0[0].lowercased() == "content-length" }
            .flatMap { Int($0[1].trimmingCharacters(in: .whitespaces)) }
        return text[..<end.upperBound].utf8.count + (length ?? 0)
    }

    private func send(_ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var count = recv(pair.client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            if let line = Self.firstLine(buffer[..<count]) {
                pair.request.withLock { $0 = (line, 0, 0) }
                state.withLock { $0.requests.append(line) }
                if let answer = nextAnswer(to: line) {
                    guard Self.answer(pair, buffer[..<count], answer) else { break }
                    continue
                }
            }
            if let left = passing(count, pair) {
                _ = Self.write(buffer[..<left], to: pair.server)
                tell.yield(.cut)
                return pair.end()
            }
            let sent = pair.request.withLock { $0.sent }
            if let limit = rule(for: pair)?.cutsAfterSending, sent + count > limit {
                count = max(0, limit - sent)
                _ = Self.write(buffer[..<count], to: pair.server)
                pass()
                tell.yield(.cut)
                return pair.end()
            }
            pair.request.withLock { $0.sent += count }
            guard Self.write(buffer[..<count], to: pair.server) else { break }
        }
        tell.yield(.closedByClient(pair.request.withLock { $0.line }))
        pair.end()
    }

    private func receive(_ pair: Pair) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var count = recv(pair.server, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let rule = rule(for: pair)
            if rule?.swallows == true {
                tell.yield(.swallowed)
                continue
            }
            if let left = passing(count, pair) {
                _ = Self.write(buffer[..<left], to: pair.client)
                tell.yield(.cut)
                return pair.end()
            }
            let received = pair.request.withLock { $0.received }
            if let limit = rule?.cutsAfterReceiving, received + count > limit {
                count = max(0, limit - received)
                _ = Self.write(buffer[..<count], to: pair.client)
                pass()
                tell.yield(.cut)
                return pair.end()
            }
            pair.request.withLock { $0.received += count }
            guard Self.write(buffer[..<count], to: pair.client) else { break }
        }
        pair.end()
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func firstLine(_ bytes: ArraySlice<UInt8>) -> String? {
        let methods = ["POST ", "GET ", "PUT ", "HEAD "]
        guard methods.contains(where: { bytes.starts(with: $0.utf8) }),
            let end = bytes.firstIndex(of: UInt8(ascii: "\r"))
        else { return nil }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
