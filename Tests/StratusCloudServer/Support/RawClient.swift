import Foundation
import StratusWorkers

/// Sends requests byte for byte as they are given, each on a connection of its own.
struct RawClient: Sendable {
    private static let pool = WorkerPool(threads: 16)

    let port: UInt16
    /// A numeric address.
    var host = "127.0.0.1"

    func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String = ""
    ) async throws -> RawResponse {
        try await send(method, target, headers: headers, bytes: Array(body.utf8))
    }

    func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], bytes: [UInt8]
    ) async throws -> RawResponse {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        if !headers.contains(where: { $0.0.lowercased() == "host" }) { head += "Host: \(host):\(port)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if !bytes.isEmpty || method == "POST" { head += "Content-Length: \(bytes.count)\r\n" }
        head += "Connection: close\r\n\r\n"
        let request = Array(head.utf8) + bytes
        return try await Self.pool.run { try exchange(request) }
    }

    /// Sends a head whose body does not come: the answer.
    func sendHead(_ method: String, _ target: String, headers: [String]) async throws -> RawResponse {
        let lines = ["\(method) \(target) HTTP/1.1", "Host: \(host):\(port)"] + headers + ["", ""]
        return try await Self.pool.run { try exchange(Array(lines.joined(separator: "\r\n").utf8)) }
    }

    private func exchange(_ request: [UInt8]) throws -> RawResponse {
        let descriptor = try begin(request)
        defer { close(descriptor) }
        return try RawResponse(try Self.rest(descriptor))
    }

    /// Sends a request on a connection of its own, of whose answer little comes before it is read.
    /// - Returns: the connection, which the caller closes.
    func begin(_ request: [UInt8], window: Int32? = nil) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(step: "socket") }
        var isBegun = false
        defer { if !isBegun { close(descriptor) } }
        if var window {
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &window, size) == 0 else {
                throw Failure(step: "window")
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw Failure(step: "connect") }
        var sent = 0
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(step: "send") }
            sent += count
        }
        isBegun = true
        return descriptor
    }

    /// What comes until the connection ends.
    static func rest(_ descriptor: Int32) throws -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw Failure(step: "receive") }
            if count == 0 { break }
            received += buffer[..<count]
        }
        return received
    }

    struct Failure: Error {
        var step: String
    }
}

struct RawResponse: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    /// The body as text, without the framing of chunks.
    var body: String { String(decoding: bodyBytes, as: UTF8.self) }
    var bodyBytes: [UInt8]

    init(_ bytes: [UInt8]) throws {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw RawClient.Failure(step: "parse: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ")[1]) ?? 0
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        bodyBytes = Array(bytes[end.upperBound...])
        if self["Transfer-Encoding"] == "chunked" { bodyBytes = try Self.joined(chunks: bodyBytes) }
    }

    /// The bytes of chunks, as far as they came.
    private static func joined(chunks: [UInt8]) throws -> [UInt8] {
        var joined: [UInt8] = []
        var rest = chunks[...]
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let line = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard let size = Int(line, radix: 16) else { throw RawClient.Failure(step: "chunk: \(line.prefix(20))") }
            joined += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return joined
    }

    subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    var json: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
    }

    var code: String? { json["serverErrorCode"] as? String }

    /// Whether the body is an error as every client recognizes it.
    var isWholeError: Bool {
        guard let uuid = json["uuid"] as? String, let reason = json["reason"] as? String else { return false }
        return UUID(uuidString: uuid) != nil && uuid == self["X-Apple-Request-UUID"] && !reason.isEmpty && code != nil
            && self["Content-Type"] == "application/json; charset=UTF-8"
    }
}
