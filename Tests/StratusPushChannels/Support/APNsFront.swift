import Foundation
import Glibc
import Testing

/// What Apple's devices' push service looks like from outside: HTTP/2 over TLS. nginx speaks it, and passes requests on to
/// the test's server with the version that was spoken in `X-Protocol`.
final class APNsFront: Sendable {
    static let nginx = "/usr/sbin/nginx"

    let url: String
    private let process: pid_t

    init(_ certificate: TestCertificate, to backend: UInt16) throws {
        let folder = certificate.folder.path()
        let file = folder + "/nginx.conf"
        let identifier = folder + "/nginx.pid"
        // A port that is free now may be taken a moment later.
        for _ in 0..<10 {
            let port = try Self.freePort()
            try Self.configuration(certificate, folder, identifier, port: port, backend: backend)
                .write(toFile: file, atomically: true, encoding: .utf8)
            guard try Self.run([Self.nginx, "-c", file, "-p", folder, "-e", folder + "/start.log"]) == 0 else {
                continue
            }
            let text = try String(contentsOfFile: identifier, encoding: .utf8)
            process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            url = "https://127.0.0.1:\(port)"
            return
        }
        throw CocoaError(.executableLoad)
    }

    func stop() { kill(process, SIGKILL) }

    private static func configuration(
        _ certificate: TestCertificate, _ folder: String, _ identifier: String, port: UInt16, backend: UInt16
    ) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: " ")
        return """
            pid \(identifier);
            error_log \(folder)/error.log;
            master_process off;
            events { worker_connections 64; }
            http {
                access_log off;
                \(temporary)
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    ssl_certificate \(certificate.certificate);
                    ssl_certificate_key \(certificate.key);
                    location / {
                        proxy_pass http://127.0.0.1:\(backend);
                        proxy_set_header X-Protocol $server_protocol;
                    }
                }
            }
            """
    }

    /// Runs a program to its end, which for nginx is when it listens and has written its number: what serves goes on
    /// behind it. Foundation's `Process` would wait for that, too.
    private static func run(_ arguments: [String]) throws -> Int32 {
        var words = arguments.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        try #require(posix_spawn(&child, arguments[0], nil, nil, &words, environ) == 0)
        var status: Int32 = 0
        try #require(waitpid(child, &status, 0) == child)
        return status
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                try #require(bind(descriptor, pointer, length) == 0)
                try #require(getsockname(descriptor, pointer, &length) == 0)
            }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}
