import CloudKit
import Foundation
import StratusTestSupport
import Testing

/// What assets cost the memory of the program that saves and fetches them.
@Suite struct AssetMemoryTests {
    /// MiB of the asset; `STRATUS_LARGE_ASSET` says how many others.
    static let mebibytes = ProcessInfo.processInfo.environment["STRATUS_LARGE_ASSET"].flatMap { Int($0) } ?? 256
    /// MiB by which resident memory may grow: a few pieces on their way, and what the allocator keeps of them.
    static let bound = 64.0

    @Test("a large asset is saved and fetched by the plain calls without being held in memory") func flat() async throws
    {
        let tenant = try await Tenant(in: try await Cloud.shared())
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/large")
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        let file = try FileHandle(forWritingTo: url)
        for number in 0..<Self.mebibytes {
            try file.write(contentsOf: Data(repeating: UInt8(truncatingIfNeeded: number &* 37), count: 1 << 20))
        }
        try file.close()
        let client = try ChildProcess(
            Tool.beside("StratusTestClient"),
            [
                "asset", tenant.cloud.server.url, tenant.container, tenant.apiToken, tenant.alice.webAuthToken,
                directory.path + "/state", url.path,
            ], environment: ["TMPDIR": directory.path])
        var lines: [String: String] = [:]
        for await line in client.lines {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            lines[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        let (ending, errors) = await (client.ending, client.standardError)
        #expect(ending == .exited(0), "\(lines) \(errors)")
        for call in ["saved", "fetched"] {
            let growth = Double(try #require(lines[call].flatMap { Int($0) }, "\(lines)")) / 1_024
            print("assets: \(Self.mebibytes) MiB \(call) by the SDK, peak resident memory grew by \(growth) MiB")
            #expect(growth < Self.bound)
        }
        let copy = try #require(lines["file"])
        #expect(copy != url.path && FileManager.default.contentsEqual(atPath: copy, andPath: url.path))
    }
}
