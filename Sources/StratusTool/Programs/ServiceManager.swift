import FoundationEssentials
import Glibc

/// The service manager that started the process, if one did.
enum ServiceManager {
    /// Reports that the process has started: what systemd waits for with `Type=notify`.
    static func reportReady() {
        guard let address = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
        send("READY=1", to: address)
    }

    /// Sends a datagram to a socket, whose name begins with `@` if it has none in the file system.
    private static func send(_ text: String, to address: String) {
        var bytes = Array(address.utf8)
        var name = sockaddr_un()
        guard let first = bytes.first, [UInt8(ascii: "/"), UInt8(ascii: "@")].contains(first),
            bytes.count < MemoryLayout.size(ofValue: name.sun_path)
        else { return }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let message = Array(text.utf8)
        withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, size)
            }
        }
    }
}
