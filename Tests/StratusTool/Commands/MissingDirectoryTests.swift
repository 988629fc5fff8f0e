import Foundation
import Testing

/// What commands do where there is no data: they say so, and make nothing.
@Suite struct MissingDirectoryTests {
    /// What each command needs beside its name to be carried out; nil for those that work on no data directory, and for
    /// those that make one.
    private static let commands: [String: [String]?] = [
        "serve": nil, "restore": nil, "version": nil, "man": nil, "login": nil, "logout": nil,
        "container create": ["iCloud.a"], "container list": [], "container app": ["iCloud.a"],
        "account list": [], "developer list": [],
        "token list": Tool.context, "key list": Tool.context,
        "record get": Tool.publicDatabase + ["r"], "usage": Tool.publicDatabase,
        "query": Tool.publicDatabase + ["--type", "T"],
        "schema show": Tool.context, "schema export": Tool.context, "schema indexes": Tool.context,
        "export": Tool.publicDatabase + ["--all", "--output", "made", "--assets", "made-too"],
        "import": Tool.publicDatabase + ["rows.jsonl", "--type", "T"],
        "backup": ["made"], "verify": [], "doctor": [], "doctor --quick": [],
        "key create": Tool.context + ["--output", "made.pem"], "token create": Tool.context,
        "session create": Tool.context + ["--email", "a@example.org"],
        "role list": Tool.context,
        "user export": ["a@example.org", "--output", "made"],
        "migrate": Tool.context + [
            "--from", "https://example.org", "--source-container", "iCloud.a", "--key-id", "1", "--key", "key.pem",
            "--work", "made",
        ],
    ]

    @Test("No command makes a data directory without being asked")
    func nothingIsMade() async throws {
        let tool = try Tool()
        try await tool.makeInputs()
        let before = try tool.names()
        for (words, more) in Self.commands.sorted(by: { $0.key < $1.key }) {
            guard let more else { continue }
            let options = more.map {
                $0.hasPrefix("made") || $0.hasPrefix("rows") || $0 == "key.pem" ? tool.path($0) : $0
            }
            let run = try await tool.run(
                words.split(separator: " ").map(String.init) + options + ["--json"], createsData: false)
            #expect(run.status == 1, "\(words): \(run.output) \(run.errors)")
            #expect(
                (run.output + run.errors).contains("there is no data in \(tool.data.path())"), "\(words): \(run.errors)"
            )
            #expect(try tool.names() == before, "\(words)")
        }
    }

    @Test("An empty directory has no data, either")
    func anEmptyDirectoryStaysEmpty() async throws {
        let tool = try Tool()
        try FileManager.default.createDirectory(at: tool.data, withIntermediateDirectories: false)
        let run = try await tool.run(["container", "list", "--json"], createsData: false)
        #expect(run.status == 1)
        #expect(try run.errorObject()["error"] as? String == "NO_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.data.path()).isEmpty)
    }

    @Test func whoAsksGetsOne() async throws {
        let tool = try Tool()
        try await tool.run(["container", "create", "iCloud.a", "--create-data"], createsData: false).mustSucceed()
        #expect(try await tool.run(["container", "list"], createsData: false).output == "iCloud.a\n")
    }

    /// Every command is in the table, or one of its kind is.
    @Test func theTableHasEveryCommand() async throws {
        let help = try await Tool().run(["--help"]).output
        let known = Set(Self.commands.keys.compactMap { $0.split(separator: " ").first.map(String.init) })
        let listed = help.matches(of: /(?m)^  ([a-z]+)  +[A-Z]/).map { String($0.1) }
        #expect(listed.count > 15)
        let others = ["cktool", "share", "device", "drive", "mirror", "completion", "context"]
        #expect(Set(listed).subtracting(known).subtracting(others).isEmpty)
    }
}

extension Tool {
    fileprivate func makeInputs() async throws {
        _ = try write(#"{"n":1}"#, to: "rows.jsonl")
        let key = try await run(
            ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("key.pem")],
            program: URL(filePath: "/usr/bin/openssl"))
        try #require(key.status == 0)
    }

    /// What lies beside the data directory, without the streams of runs.
    fileprivate func names() throws -> Set<String> {
        let streams = [".in", ".out", ".err"]
        return Set(
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { name in
                !streams.contains { name.hasSuffix($0) }
            })
    }
}
