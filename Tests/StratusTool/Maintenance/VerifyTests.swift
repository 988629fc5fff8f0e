import Foundation
import Glibc
import Testing

/// `stratus verify`, on a running server and on the data of a stopped one.
@Suite struct VerifyTests {
    private func prepared() async throws -> Tool {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let lines = (0..<50).map { #"{"recordName":"r\#($0)","recordType":"Note","fields":{"n":{"value":\#($0)}}}"# }
        let file = try tool.write(lines.joined(separator: "\n"), to: "records.jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase + ["--type", "Note"]).mustSucceed()
        return tool
    }

    @Test func damageIsFoundAndNamedInTheLog() async throws {
        let tool = try await prepared()
        let large = String(repeating: "damage-me ", count: 4_000)
        let line = #"{"recordName":"large","recordType":"Note","fields":{"text":{"value":"\#(large)"}}}"#
        let file = try tool.write(line, to: "large.jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase + ["--type", "Note"]).mustSucceed()
        try StoredBytes.damage(Data(large.utf8.prefix(3_000)), in: tool.data.appending(path: "stratus.leveldb"))

        let stopped = try await tool.run(["verify", "--json"])
        #expect(stopped.status == 1)
        #expect(try stopped.errorObject()["error"] as? String == "CORRUPTED")

        let server = try await RunningServer(tool)
        let running = try await tool.run(["verify", "--json"])
        #expect(running.status == 1)
        #expect(try running.errorObject()["error"] as? String == "CORRUPTED")
        let read = try await tool.run(
            ["export", "--all", "--json", "--output", tool.path("out")] + Tool.publicDatabase)
        let reason = try #require(try read.errorObject()["reason"] as? String)
        let uuid = try #require(reason.firstMatch(of: /\(uuid ([0-9a-f-]{36})\)/)?.1)
        var entries: [String] = []
        while !entries.contains(where: { $0.contains(uuid) }), let line = try await server.logLine() {
            entries.append(line)
        }
        #expect(entries.last?.contains("a request failed with an internal error") == true)
        #expect(entries.contains { $0.contains("the store failed at a command of the operator") })
        _ = try await server.end(by: SIGTERM)
    }
}

extension Tool.Run {
    func mustSucceed(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try #require(status == 0, "\(errors)", sourceLocation: sourceLocation)
    }
}
