import Glibc

/// Ports of 127.0.0.1 that nobody listens on.
enum FreePort {
    /// A port that the system has just given and taken back.
    static func take() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkError("no socket: errno \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) == 0 ? getsockname(descriptor, generic, &size) : -1
            }
        }
        guard status == 0 else { throw BenchmarkError("no free port: errno \(errno)") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
