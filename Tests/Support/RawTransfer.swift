import Glibc
import StratusCloudCrypto
import StratusWorkers

/// Large bodies over a socket, never whole in memory: a pattern that is easy to make and has no short period.
public enum RawTransfer {
    /// What went wrong on the way.
    public struct Failure: Error, CustomStringConvertible {
        /// The step and the system's word for it.
        public let description: String
        init(_ step: String) { description = "\(step): \(String(cString: strerror(errno)))" }
    }

    private static let pool = WorkerPool(threads: 2)
    private static let pieceSize = 1_048_576

    /// The pattern's piece of a number.
    private static func piece(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 7), count: pieceSize)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(number), as: UInt64.self) }
        return bytes
    }

    private static func forEachPiece(_ size: Int64, _ body: ([UInt8]) throws -> Void) rethrows {
        var (left, number) = (size, 0)
        while left > 0 {
            let whole = piece(number)
            try body(left >= Int64(pieceSize) ? whole : Array(whole.prefix(Int(left))))
            left -= Int64(pieceSize)
            number += 1
        }
    }

    /// The SHA-256 of the pattern.
    public static func digest(size: Int64) -> [UInt8] {
        var hash = SHA256()
        forEachPiece(size) { hash.update($0) }
        return hash.digest()
    }

    /// Posts the pattern; gives the answer's body.
    public static func upload(to url: String, size: Int64) async throws -> String {
        try await pool.run {
            let connection = try connect(to: url)
            defer { close(connection.socket) }
            try connection.send(Array(connection.head("POST", "Content-Length: \(size)\r\n").utf8))
            try forEachPiece(size) { try connection.send($0) }
            var received: [UInt8] = []
            while let bytes = try connection.receive() { received += bytes }
            let text = String(decoding: received, as: UTF8.self)
            return text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? text
        }
    }

    /// Announces `size` bytes, sends the first `count` of the pattern, and goes away.
    public static func breakOff(after count: Int64, of size: Int64, to url: String) async throws {
        try await pool.run {
            let connection = try connect(to: url)
            defer { close(connection.socket) }
            try connection.send(Array(connection.head("POST", "Content-Length: \(size)\r\n").utf8))
            try forEachPiece(count) { try connection.send($0) }
        }
    }

    /// The first bytes of the pattern.
    public static func pattern(_ size: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        forEachPiece(size) { bytes += $0 }
        return bytes
    }

    /// Gets bytes; gives their SHA-256.
    public static func download(from url: String) async throws -> [UInt8] {
        try await pool.run {
            let connection = try connect(to: url)
            defer { close(connection.socket) }
            try connection.send(Array(connection.head("GET", "").utf8))
            var head: [UInt8]? = []
            var hash = SHA256()
            let end = Array("\r\n\r\n".utf8)
            while let bytes = try connection.receive() {
                guard let begun = head else {
                    hash.update(bytes)
                    continue
                }
                let all = begun + bytes
                guard let start = all.indices.first(where: { all[$0...].starts(with: end) }) else {
                    head = all
                    continue
                }
                head = nil
                hash.update(Array(all[(start + 4)...]))
            }
            return hash.digest()
        }
    }

    private struct Connection {
        let socket: Int32
        let host: String
        let path: String

        func head(_ method: String, _ fields: String) -> String {
            "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n\(fields)Connection: close\r\n\r\n"
        }

        func send(_ bytes: [UInt8]) throws {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure("sending") }
                sent += count
            }
        }

        func receive() throws -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: RawTransfer.pieceSize)
            let count = recv(socket, &bytes, bytes.count, 0)
            guard count >= 0 else { throw Failure("receiving") }
            return count == 0 ? nil : Array(bytes.prefix(count))
        }
    }

    /// - Parameter url: `http://127.0.0.1:PORT/…`
    private static func connect(to url: String) throws -> Connection {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let host = rest.prefix { $0 != "/" }
        guard let port = host.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Failure("no port: \(url)")
        }
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw Failure("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(socket)
            throw Failure("connecting")
        }
        return Connection(socket: socket, host: String(host), path: String(rest.dropFirst(host.count)))
    }
}
