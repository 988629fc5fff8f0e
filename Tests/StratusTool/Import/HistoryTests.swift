import Foundation
import Testing

/// Exports and imports keep who made and changed a record, and when.
@Suite struct HistoryTests {
    private struct Line: Decodable, Equatable {
        struct Stamp: Decodable, Equatable {
            let timestamp: Int64
            let userRecordName: String
        }

        let recordName: String
        let recordChangeTag: String
        let created: Stamp
        let modified: Stamp
    }

    private static let stranger = "_0123456789abcdef0123456789abcdef"

    private static func database(_ container: String, _ scope: String) -> [String] {
        ["--container", container, "--environment", "development", "--database", scope, "--email", "a@example.org"]
    }

    private func prepared() async throws -> Tool {
        let tool = try Tool()
        for container in ["iCloud.first", "iCloud.second"] { try await tool.succeed("container", "create", container) }
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        return tool
    }

    private func record(_ name: String, created: Int64, by: String = stranger, modified: Int64) -> String {
        #"{"recordName":"\#(name)","recordType":"Note","fields":{"n":{"value":1,"type":"INT64"}},"#
            + #""recordChangeTag":"zz","created":{"timestamp":\#(created),"userRecordName":"\#(by)","deviceID":"d"},"#
            + #""modified":{"timestamp":\#(modified),"userRecordName":"\#(by)","deviceID":"d"}}"#
    }

    private func exported(_ tool: Tool, _ database: [String]) async throws -> [Line] {
        try await tool.succeed("export", "--all", context: database).output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    private func own(_ tool: Tool, in container: String) async throws -> String {
        let session = try await tool.succeed(
            "session", "create", "--email", "a@example.org", "--json",
            context: ["--container", container, "--environment", "development"])
        return try #require(try session.object()["userRecordName"] as? String)
    }

    @Test(
        "Times and users of public records are those of the lines, and change tags are new", arguments: [false, true])
    func publicRecords(running: Bool) async throws {
        let tool = try await prepared()
        let server = running ? try await RunningServer(tool) : nil
        let lines = [record("a", created: 1_000, modified: 2_000), record("b", created: 5, modified: 5)]
        let file = try tool.write(lines.joined(separator: "\n"), to: "lines.jsonl")
        let public1 = Self.database("iCloud.first", "public")
        try await tool.succeed("import", file, context: public1)
        let first = try await exported(tool, public1)
        #expect(first.map(\.created.timestamp) == [1_000, 5] && first.map(\.modified.timestamp) == [2_000, 5])
        #expect(first.allSatisfy { $0.created.userRecordName == Self.stranger && $0.recordChangeTag != "zz" })
        // Over records that are there, too.
        let again = try tool.write(record("a", created: 900, modified: 950), to: "again.jsonl")
        try await tool.succeed("import", again, context: public1)
        let replaced = try #require(try await exported(tool, public1).first)
        #expect(replaced.created.timestamp == 900 && replaced.modified.timestamp == 950)
        #expect(replaced.recordChangeTag != first[0].recordChangeTag)
        try await tool.succeed("import", again, "--as-new", "--restart", context: public1)
        let new = try #require(try await exported(tool, public1).first)
        #expect(new.created.timestamp == 900 && new.modified.timestamp > 1_000_000_000_000)
        #expect(new.modified.userRecordName == (try await own(tool, in: "iCloud.first")))
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test("In a private database the owner stands for who is unknown here")
    func privateRecords() async throws {
        let tool = try await prepared()
        let file = try tool.write(record("a", created: 1_000, modified: 2_000), to: "lines.jsonl")
        let private1 = Self.database("iCloud.first", "private")
        try await tool.succeed("import", file, context: private1)
        #expect(try await exported(tool, private1).first?.created.userRecordName == "_defaultOwner")
        let out = tool.path("out.jsonl")
        try await tool.succeed("export", "--all", "--output", out, context: private1)
        let private2 = Self.database("iCloud.second", "private")
        try await tool.succeed("import", out, context: private2)
        let query = try await tool.succeed("query", "--type", "Note", "--json", context: private2).output
        #expect(query.contains(try await own(tool, in: "iCloud.second")) && !query.contains(Self.stranger))
        #expect(query.contains("1000") && query.contains("2000"))
    }

    @Test("Times that cannot be are refused with their line, and those of the future become now")
    func wrongTimes() async throws {
        let tool = try await prepared()
        let database = Self.database("iCloud.first", "public")
        let lines = [
            record("a", created: 2, modified: 1), record("b", created: 3, modified: 4),
            record("c", created: -1, modified: 5), record("d", created: 6, by: "", modified: 7),
            record("e", created: 8, modified: 9),
        ]
        let mixed = try tool.write(lines.joined(separator: "\n"), to: "mixed.jsonl")
        let run = try await tool.run(["import", mixed] + database)
        #expect(run.status == 1 && run.output.contains("imported 2 records, 3 failed"), "\(run.output)")
        for line in [1, 3, 4] { #expect(run.errors.contains("line \(line):"), "\(run.errors)") }
        #expect(run.errors.contains("changed before it was created") && run.errors.contains("before 1970"))
        #expect(try await exported(tool, database).map(\.recordName) == ["b", "e"])
        let file = try tool.write(record("a", created: 1, modified: 99_000_000_000_000), to: "future.jsonl")
        try await tool.succeed("import", file, context: database)
        #expect((try await exported(tool, database).first?.modified.timestamp ?? .max) < 99_000_000_000_000)
    }
}
