import Glibc

/// A blocking client that sends exactly the bytes it is given. Used on threads of `clientPool` only.
final class RawClient {
    struct Failure: Error {
        let what: String
        let errno: Int32
    }

    struct Response {
        var status = 0
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []

        var text: String { String(decoding: body, as: UTF8.self) }
        var closes: Bool { self["connection"]?.lowercased() == "close" }
        subscript(name: String) -> String? { headers.first { $0.name == name.lowercased() }?.value }
    }

    fileprivate let socket: Int32
    private var pending: [UInt8] = []

    private init() { socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

    /// A socket that is not connected yet.
    static func unconnected() -> RawClient { RawClient() }

    convenience init(port: UInt16) throws {
        self.init()
        try connect(port: port)
    }

    func connect(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        try connect(&address)
    }

    init(path: String) throws {
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try connect(&address)
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        if !isClosed { Glibc.close(socket) }
        isClosed = true
    }

    /// Says that nothing more will be sent.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    private func connect<Address>(_ address: inout Address) throws {
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect", errno: errno) }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                let rest = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                return Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(what: "send", errno: errno) }
            sent += count
        }
    }

    /// Reads more; false at the end of the stream, which a reset is, too.
    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        pending.append(contentsOf: buffer[..<count])
        return true
    }

    /// Waits until the server closes: true if nothing came before.
    func isClosedByServer() -> Bool { pending.isEmpty && !fill() }

    /// Counts what comes until `count` bytes or the end.
    func drain(_ count: Int) -> Int {
        var read = pending.count
        pending = []
        while read < count, fill() {
            read += pending.count
            pending = []
        }
        return read
    }

    /// All that comes until the end.
    func readToEnd() -> [UInt8] {
        while fill() {}
        defer { pending = [] }
        return pending
    }

    func readLine() throws -> String {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end].filter { $0 != 0x0D }, as: UTF8.self)
            }
            guard fill() else { throw Failure(what: "end of stream", errno: 0) }
        }
    }

    func read(_ count: Int) throws -> [UInt8] {
        while pending.count < count {
            guard fill() else { throw Failure(what: "end of stream", errno: 0) }
        }
        defer { pending.removeFirst(count) }
        return Array(pending[..<count])
    }

    /// A response's head, without its body.
    func readHead() throws -> Response {
        var response = Response()
        let parts = try readLine().split(separator: " ")
        response.status = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        while true {
            let line = try readLine()
            if line.isEmpty { return response }
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            response.headers.append((line[..<colon].lowercased(), String(value)))
        }
    }

    func readResponse(toHead: Bool = false) throws -> Response {
        var response = try readHead()
        if response.status == 100 { response = try readHead() }
        if toHead || response.status == 204 || response.status == 304 { return response }
        if response["transfer-encoding"] == "chunked" {
            while let size = Int(try readLine(), radix: 16), size > 0 {
                response.body += try read(size)
                _ = try readLine()
            }
            _ = try readLine()
        } else if let length = response["content-length"].flatMap({ Int($0) }) {
            response.body = try read(length)
        } else {
            response.body = readToEnd()
        }
        return response
    }

    func exchange(_ request: String) throws -> Response {
        try send(request)
        return try readResponse(toHead: request.hasPrefix("HEAD"))
    }
}

extension RawClient {
    /// Sends at most `count` bytes, until the server has not taken more for a while: how many it took.
    func sendUntilStalled(_ count: Int) -> Int {
        let piece = [UInt8](repeating: 1, count: 65_536)
        var sent = 0
        while sent < count {
            let taken = Glibc.send(
                socket, piece, min(piece.count, count - sent), Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            if taken > 0 {
                sent += taken
                continue
            }
            var waiting = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            if poll(&waiting, 1, 300) == 0 { return sent }
        }
        return sent
    }
}

extension RawClient {
    /// Whether the server closes within some milliseconds.
    func isClosed(within milliseconds: Int32) -> Bool {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, milliseconds) > 0
    }
}

/// Runs `body` while the process has no free file descriptor.
func withoutDescriptors<Result>(_ body: () throws -> Result) throws -> Result {
    var taken: [Int32] = []
    while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
    defer { for descriptor in taken { close(descriptor) } }
    return try body()
}
