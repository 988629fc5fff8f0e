import Foundation
import Testing

@Suite struct ImportTests {
    private func tool() async throws -> Tool {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        return tool
    }

    private func exported(_ tool: Tool, _ more: [String] = Tool.publicDatabase) async throws -> [[String: Any]] {
        try await tool.run(["export", "--all"] + more).output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func value(_ record: [String: Any], _ field: String) -> NSObject? {
        ((record["fields"] as? [String: Any])?[field] as? [String: Any])?["value"] as? NSObject
    }

    @Test func badRowsAreReportedAndTheOthersSaved() async throws {
        let tool = try await tool()
        let file = try tool.write(
            "name,size,lat,lon,tags\nBerlin,3,52.5,13.4,a;b\n\"Two\nLines\",x,,,\nSuva,4,91,0,\n=bad name,5,,,\n"
                + "short,1\nParis,2,48.8,2.3,\n", to: "cities.csv")
        let arguments = [
            "import", file, "--type", "City", "--name-field", "name", "--column", "size=INT64", "--location",
            "place=lat,lon", "--list", "tags=;",
        ]
        let run = try await tool.run(arguments + Tool.publicDatabase)
        #expect(run.status == 1)
        #expect(run.output == "imported 3 records, 3 failed\n")
        for line in ["line 3:", "line 5:", "line 7:"] { #expect(run.errors.contains(line), "\(run.errors)") }
        let records = try await exported(tool)
        #expect(records.map { $0["recordName"] as? String } == ["=bad name", "Berlin", "Paris"])
        #expect(value(records[1], "tags") == ["a", "b"] as NSArray)
        #expect(value(records[1], "size") == 3 as NSNumber)
        #expect((value(records[1], "place") as? NSDictionary)?["latitude"] as? Double == 52.5)
        #expect(value(records[2], "tags") == nil)

        let json = try await tool.run(arguments + ["--json"] + Tool.publicDatabase)
        #expect(try json.object()["failed"] as? Int == 3)
        #expect(try json.object()["imported"] as? Int == 3)
        let reported = try json.errors.split(separator: "\n").map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        #expect(reported.map { $0?["line"] as? Int } == [3, 5, 7])
    }

    @Test func plainObjectsBecomeFields() async throws {
        let tool = try await tool()
        let file = try tool.write(
            """
            {"text": "a", "count": 9007199254740993, "ratio": 1, "tags": ["x"], "at": {"latitude": 1, "longitude": 2}}
            {"text": "b", "ratio": 0.5, "due": "2026-01-31", "none": null}
            [1]
            {"text": {"strange": 1}}

            """, to: "notes.jsonl")
        let run = try await tool.run(
            ["import", file, "--type", "Note", "--column", "ratio=DOUBLE", "--column", "due=TIMESTAMP"]
                + Tool.publicDatabase)
        #expect(run.output == "imported 2 records, 2 failed\n")
        let records = try await exported(tool)
        let first = try #require(records.first { value($0, "text") == "a" as NSString })
        let second = try #require(records.first { value($0, "text") == "b" as NSString })
        #expect(value(first, "count") == 9_007_199_254_740_993 as NSNumber)
        #expect(value(second, "due") == 1_769_817_600_000 as NSNumber)
        #expect(value(second, "none") == nil)
        // Names come from the content: the same file again replaces, and adds nothing.
        _ = try await tool.run(
            ["import", file, "--type", "Note", "--column", "ratio=DOUBLE", "--column", "due=TIMESTAMP"]
                + Tool.publicDatabase)
        #expect(try await exported(tool).count == 2)
    }

    @Test func theLaterOfTwoRowsForARecordWins() async throws {
        let tool = try await tool()
        var text = "id,value\n"
        for index in 0..<1_000 { text += "r\(index % 7),\(index)\n" }
        let file = try tool.write(text, to: "rows.csv")
        try await tool.succeed(
            "import", file, "--type", "Row", "--name-field", "id", "--column", "value=INT64",
            context: Tool.publicDatabase)
        let records = try await exported(tool)
        let expected = (0..<7).map { last in (0..<1_000).last { $0 % 7 == last } }
        #expect(records.map { value($0, "value") as? Int } == expected)
    }

    @Test func anInterruptedImportGoesOn() async throws {
        let tool = try await tool()
        var text = "value\n"
        for index in 0..<2_000 { text += "\(index)\n" }
        let file = try tool.write(text, to: "rows.csv")
        let arguments = ["import", file, "--type", "Row", "--column", "value=INT64"] + Tool.publicDatabase
        // A progress that says half is done: only the other half is read.
        #expect(try await tool.run(arguments).status == 0)
        let whole = try await exported(tool)
        #expect(whole.count == 2_000)
        let progress = tool.data.appending(path: "imports")
        #expect(try FileManager.default.contentsOfDirectory(atPath: progress.path()).isEmpty)

        let server = try await RunningServer(tool)
        let process = Process()
        let executable = try #require(Tool.executable)
        process.executableURL = executable
        let second = try tool.write(text + "2000\n", to: "more.csv")
        process.arguments =
            ["import", second, "--type", "More", "--column", "value=INT64", "--data", tool.data.path()]
            + Tool.publicDatabase
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        let reader = LineReader(pipe.fileHandleForReading)
        let end = Task { try await process.runToEnd() }
        let line = try await reader.next()
        kill(process.processIdentifier, SIGKILL)
        _ = try await end.value
        try #require(line?.contains("records") == true)
        let again = try await tool.run(
            ["import", second, "--type", "More", "--column", "value=INT64", "--json"] + Tool.publicDatabase)
        #expect(try again.object()["imported"] as? Int == 2_001)
        #expect((try again.object()["resumedAtLine"] as? Int).map { $0 > 2 } ?? true)
        let found = try await tool.run(["export", "--type", "More"] + Tool.publicDatabase).output
        #expect(found.split(separator: "\n").count == 2_001)
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test(arguments: [
        ["--column", "absent=INT64"], ["--name-field", "absent"], ["--column", "value=NUMBER"], ["--list", "value"],
        ["--location", "a=b"], ["--column", "value=INT64", "--column", "value=INT64"],
    ])
    func rulesThatDoNotFitAreRefused(options: [String]) async throws {
        let tool = try await tool()
        let file = try tool.write("value\n1\n", to: "rows.csv")
        let run = try await tool.run(["import", file, "--type", "Row"] + options + Tool.publicDatabase)
        #expect(run.status != 0)
        #expect(try await exported(tool).isEmpty)
    }
}
