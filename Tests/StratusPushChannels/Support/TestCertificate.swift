import Foundation
import StratusHTTPTransport
import Testing

/// A certificate for 127.0.0.1 that vouches for itself, in a folder of its own.
final class TestCertificate: Sendable {
    let folder: URL
    var certificate: String { folder.appending(path: "certificate.pem").path() }
    var key: String { folder.appending(path: "key.pem").path() }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let request = Process()
        request.executableURL = URL(filePath: "/usr/bin/openssl")
        request.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out",
            certificate, "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
        ]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()
        try #require(request.terminationStatus == 0)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var tls: HTTPServerConfiguration.TLS {
        get throws {
            HTTPServerConfiguration.TLS(
                certificate: try String(contentsOfFile: certificate, encoding: .utf8),
                key: try String(contentsOfFile: key, encoding: .utf8))
        }
    }
}
