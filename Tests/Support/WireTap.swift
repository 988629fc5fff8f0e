import Foundation
import Glibc
import StratusWorkers

/// Stands between a client and a server on the loopback interface, and keeps all bytes that pass, in both directions.
public final class WireTap: Sendable {
    /// What went wrong at the start.
    public struct Failure: Error, CustomStringConvertible {
        /// The step and the system's word for it.
        public let description: String
        init(_ step: String) { description = "\(step): \(String(cString: strerror(errno)))" }
    }

    /// `http://127.0.0.1:PORT`, in the server's place.
    public let url: String
    private let listener: Int32
    private let target: UInt16
    private let passed = Lock<[UInt8]>([])

    /// Listens on a free port for connections to a server.
    /// - Parameter server: `http://127.0.0.1:PORT`
    public init(to server: String) throws {
        guard let target = server.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw Failure("port") }
        self.target = target
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let listening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard listening else { throw Failure("listening") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let tap = self else { break }
                tap.join(client)
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Everything that has passed.
    public var bytes: [UInt8] { passed.withLock { $0 } }

    private func join(_ client: Int32) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port: target)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(client)
            close(server)
            return
        }
        let ends = Lock(2)
        for (source, sink) in [(client, server), (server, client)] {
            Thread.detachNewThread { [self] in
                copy(source, sink)
                // The last of the two closes both.
                let isLast = ends.withLock {
                    $0 -= 1
                    return $0 == 0
                }
                if isLast {
                    close(source)
                    close(sink)
                }
            }
        }
    }

    private func copy(_ source: Int32, _ sink: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            let bytes = Array(buffer.prefix(count))
            passed.withLock { $0 += bytes }
            guard Glibc.send(sink, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(sink, Int32(SHUT_WR))
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
