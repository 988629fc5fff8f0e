import Foundation
import Testing

/// Single records, on the data of a stopped server and of a running one.
@Suite struct RecordCommandTests {
    private func prepare(_ mode: CommandTests.Mode) async throws -> (Tool, RunningServer?) {
        let tool = try Tool()
        let server = mode == .running ? try await RunningServer(tool) : nil
        try await tool.succeed("container", "create", Tool.container)
        return (tool, server)
    }

    private func fields(_ run: Tool.Run) throws -> [String: NSObject] {
        let fields = try #require(try run.object()["fields"] as? [String: [String: Any]])
        return fields.compactMapValues { $0["value"] as? NSObject }
    }

    @Test(arguments: CommandTests.Mode.allCases)
    func aRecordIsSavedReadChangedAndDeleted(_ mode: CommandTests.Mode) async throws {
        let (tool, server) = try await prepare(mode)
        let save = ["record", "save", "milk"] + Tool.publicDatabase
        let created = try await tool.run(
            save + [
                "--type", "Item", "--field", "title='Milk'", "--field", "count=2", "--field", "zip=01234",
                "--field", "due=2026-01-31", "--field", "place=52.52,13.4", "--field", #"tags=["a", "b"]"#,
            ])
        #expect(created.status == 0, "\(created.errors)")
        let values = try fields(created)
        #expect(values["title"] == "Milk" as NSString && values["count"] == 2 as NSNumber)
        #expect(values["zip"] == "01234" as NSString && values["due"] == 1_769_817_600_000 as NSNumber)
        #expect((values["place"] as? NSDictionary)?["latitude"] as? Double == 52.52)
        #expect(values["tags"] == ["a", "b"] as NSArray)

        let changed = try fields(try await tool.run(save + ["--field", "title=7", "--remove", "count"]))
        #expect(changed["title"] == "7" as NSString, "the schema says that it is text")
        #expect(changed["count"] == nil && changed["zip"] == "01234" as NSString)

        let unnamed = try await tool.succeed("record", "save", "--type", "Item", context: Tool.publicDatabase)
        let name = try #require(try unnamed.object()["recordName"] as? String)
        let got = try await tool.run(["record", "get", "milk", "none", "milk", name] + Tool.publicDatabase)
        #expect(got.status == 1 && got.errors.contains("record 'none'"))
        #expect(got.output.split(separator: "\n").count == 2)
        let some = try await tool.succeed("record", "get", "milk", "--field", "title", context: Tool.publicDatabase)
        #expect(Array(try fields(some).keys) == ["title"])

        let deleted = try await tool.run(["record", "delete", "milk", "none", "--json"] + Tool.publicDatabase)
        #expect(deleted.status == 1)
        #expect(try deleted.object()["deleted"] as? [String] == ["milk"])
        #expect(try await tool.run(["record", "get", "milk"] + Tool.publicDatabase).status == 1)
        withExtendedLifetime(server) {}
    }

    @Test func aWholeRecordIsSavedOverWhatItWasReadFromOnly() async throws {
        let (tool, _) = try await prepare(.stopped)
        let database = Tool.publicDatabase
        try await tool.succeed(
            "record", "save", "r", "--type", "T", "--field", "a=1", "--field", "b=2", context: database)
        let read = try await tool.succeed("record", "get", "r", context: database).output
        let edited = read.replacing(#""b":{"value":2,"type":"INT64"}"#, with: #""b":{"value":3,"type":"INT64"}"#)
        try #require(edited != read)
        func save(_ text: String, _ more: [String] = []) async throws -> Tool.Run {
            try await tool.run(["record", "save", "--file", "-"] + more + database, input: text)
        }
        #expect(try fields(try await save(edited))["b"] == 3 as NSNumber)
        let late = try await save(read)
        #expect(late.status == 1 && late.errors.contains("record 'r'"))
        #expect(try fields(try await save(read, ["--force"]))["b"] == 2 as NSNumber)
        let new = #"{"recordName":"n","recordType":"T","fields":{"a":{"value":5}}}"#
        #expect(try await save(new).status == 0)
        #expect(try await save(new).status == 1, "a record without a change tag is a new one")
        #expect(try await save("{}").status == 1)
    }

    @Test(arguments: [
        ["save", "r"], ["save", "--field", "a"], ["save", "--field", "=1"],
        ["save", "--field", "a=1", "--remove", "a"],
        ["save", "--force"], ["save", "r", "--file", "-"], ["get"], ["delete"],
        ["save", "r", "--type", "Known", "--field", "n=many"],
    ])
    func wrongCommandLinesChangeNothing(arguments: [String]) async throws {
        let (tool, _) = try await prepare(.stopped)
        let schema = try tool.write("DEFINE SCHEMA RECORD TYPE Known ( n INT64 );", to: "schema")
        try await tool.succeed("schema", "apply", schema, context: Tool.context)
        let run = try await tool.run(
            ["record"] + arguments + Tool.publicDatabase,
            input: #"{"recordName":"n","recordType":"T","fields":{}}"#)
        #expect(run.status == 2, "\(run.errors)")
        #expect(try await tool.succeed("export", "--all", context: Tool.publicDatabase).output.isEmpty)
    }
}
