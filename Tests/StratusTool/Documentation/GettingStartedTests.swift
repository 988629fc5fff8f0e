import Foundation
import Glibc
import Testing

/// `Documentation/getting-started.md` runs as it stands: all its blocks of shell, pasted into one bash in an empty
/// folder.
@Suite struct GettingStartedTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Documentation/getting-started.md").standardized

    /// The port that the page names; the test runs on a free one.
    private static let port = "8420"

    /// A port that nobody listens on.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }

    @Test func thePageRunsFromTopToBottom() async throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let blocks = page.matches(of: /```sh\n((?:.*\n)*?)```/).map { String($0.1) }
        try #require(blocks.count >= 5)
        let port = String(try Self.freePort())
        let script = blocks.joined().replacing(Self.port, with: port)
        try #require(script.contains(port))

        let tool = try Tool()
        let executable = try #require(Tool.executable)
        let folder = tool.folder.appending(path: "empty")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The first command that fails ends it, and nothing outlives it.
        let file = try tool.write(
            "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\ncd '\(folder.path())'\n" + script, to: "page.sh")
        let run = try await tool.run(
            ["-eu", "-o", "pipefail", file],
            environment: [
                "PATH": executable.deletingLastPathComponent().path() + ":/usr/local/bin:/usr/bin:/bin",
                "HOME": tool.folder.path(), "STRATUS_DATA": "",
            ], program: URL(filePath: "/bin/bash"))
        let log = try? String(contentsOf: folder.appending(path: "stratus.log"), encoding: .utf8)
        #expect(run.status == 0, "\(run.output)\n\(run.errors)\n\(log ?? "")")
        for part in [
            "container iCloud.org.example.notes is created", "\"Milk\"", "population  INT64", "imported 3 records",
            "recordName,founded,name,nickname,place,population\n", "Spree-Athen",
        ] { #expect(run.output.contains(part), "\(part) in:\n\(run.output)") }
        // The query near a place: the larger of two cities first, the third is too far away.
        let found = run.output.split(separator: "\n").filter { $0.hasPrefix("{\"recordName\"") }
        #expect(found.first?.contains("Berlin") == true && found.dropFirst().first?.contains("Hamburg") == true)
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "data").path()))
    }
}
