import Foundation
import StratusHTTPClient
import Testing

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "needs the openssl tool"))
struct TLSTests {
    /// `openssl s_server` with a certificate that only `authority` vouches for.
    private final class Server {
        let authority: String
        let port: String
        private let folder: URL
        private let process = Process()

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            authority = folder.appending(path: "certificate.pem").path()
            let key = folder.appending(path: "key.pem").path()
            let request = Process()
            request.executableURL = URL(filePath: "/usr/bin/openssl")
            request.arguments = [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                "-out",
                authority, "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
            ]
            request.standardError = FileHandle.nullDevice
            try request.run()
            request.waitUntilExit()
            let output = Pipe()
            process.executableURL = URL(filePath: "/usr/bin/openssl")
            process.arguments = ["s_server", "-www", "-accept", "127.0.0.1:0", "-cert", authority, "-key", key]
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            // "ACCEPT 127.0.0.1:40123" once it listens.
            var text = ""
            while !text.contains("\n") || !text.contains("ACCEPT") {
                let piece = output.fileHandleForReading.availableData
                try #require(!piece.isEmpty)
                text += String(decoding: piece, as: UTF8.self)
            }
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
            port = String(try #require(line.split(separator: ":").last))
        }

        func stop() {
            // Not SIGTERM: a child inherits the signals that the thread which starts it blocks.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            try? FileManager.default.removeItem(at: folder)
        }
    }

    @Test func aPrivateAuthorityIsTrustedOnlyWhenGiven() async throws {
        let server = try Server()
        defer { server.stop() }
        let request = HTTPClientRequest(url: "https://127.0.0.1:\(server.port)/")
        let error = await #expect(throws: HTTPClientError.self) { try await HTTPClient().send(request) }
        #expect(error?.code == .tls)

        var options = HTTPClientOptions()
        options.certificateAuthorityFile = server.authority
        let client = HTTPClient(options: options)
        #expect(try await client.send(request).status == 200)

        // The certificate is for an address, not for this name.
        let other = HTTPClientRequest(url: "https://localhost:\(server.port)/")
        let mismatch = await #expect(throws: HTTPClientError.self) { try await client.send(other) }
        #expect(mismatch?.code == .tls)
    }
}
