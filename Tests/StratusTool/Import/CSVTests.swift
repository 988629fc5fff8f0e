import Foundation
import Testing

/// CSV as people have it: nothing declared, looked at first, brought back as it was.
@Suite struct CSVTests {
    private static let cities = """
        name,population,founded,place,zip,ratio,note
        Berlin,3755251,1237-10-28,"52.52,13.405",01234,0.5,"says ""hi"", twice"
        Hamburg,1892122,1189-05-07,"53.55,9.99",20095,2,

        """

    private func tool(_ containers: String...) async throws -> Tool {
        let tool = try Tool()
        for container in [Tool.container] + containers { try await tool.succeed("container", "create", container) }
        return tool
    }

    @Test func aDryRunShowsTypesAndSavesNothing() async throws {
        let tool = try await tool()
        let file = try tool.write(Self.cities + "too,short\n", to: "cities.csv")
        let arguments = ["import", file, "--type", "City", "--name-field", "name"] + Tool.publicDatabase
        let shown = try await tool.run(arguments + ["--dry-run", "--zone", "Z", "--json"])
        #expect(shown.status == 1, "a line is bad")
        let report = try shown.object()
        let columns = try #require(report["columns"] as? [[String: Any]])
        #expect(
            columns.map { "\($0["name"] ?? "") \($0["type"] ?? "") \($0["from"] ?? "")" } == [
                "name STRING file", "population INT64 file", "founded TIMESTAMP file", "place LOCATION file",
                "zip STRING file", "ratio DOUBLE file", "note STRING file",
            ])
        #expect(columns[1]["example"] as? String == "3755251")
        #expect(report["rows"] as? Int == 2 && report["badRows"] as? Int == 1)
        #expect(report["newRecordTypes"] as? [String] == ["City"] && report["newZones"] as? [String] == ["Z"])
        #expect(shown.errors.contains("\"line\":4"))
        #expect(try await tool.succeed("export", "--all", context: Tool.publicDatabase).output.isEmpty)
        #expect(!(try await tool.succeed("schema", "show", context: Tool.context).output.contains("City")))

        let text = try await tool.run(arguments + ["--dry-run"])
        #expect(text.output.contains("new record types: City"))
        #expect(text.output.contains("2 records would be saved, 1 bad line; nothing was saved"))
        #expect(text.errors == "line 4: the row has 2 cells, the header has 7\n")

        let good = try tool.write(Self.cities, to: "good.csv")
        let run = ["import", good, "--type", "City", "--name-field", "name"] + Tool.publicDatabase
        #expect(try await tool.run(run + ["--dry-run"]).status == 0)
        #expect(try await tool.run(run).output == "imported 2 records\n")
        let query = ["query", "--type", "City", "--filter"]
        for filter in ["name = 'Berlin'", "name = \"Berlin\"", "name = Berlin", "zip = 01234", "founded > 1200-01-01"] {
            let found = try await tool.run(query + [filter] + Tool.publicDatabase)
            #expect(found.output.contains("\"recordName\":\"Berlin\""), "\(filter): \(found.errors)")
            #expect(!found.output.contains("Hamburg"), "\(filter)")
        }
        let wrong = try await tool.run(query + ["population = many"] + Tool.publicDatabase)
        #expect(wrong.status == 2 && wrong.errors.contains("'many' is not a 64-bit integer"))
    }

    @Test func theSchemaDecidesBeforeTheFile() async throws {
        let tool = try await tool()
        let schema = try tool.write("DEFINE SCHEMA RECORD TYPE T ( a STRING, b DOUBLE, c LIST<INT64> );", to: "schema")
        try await tool.succeed("schema", "apply", schema, context: Tool.context)
        let file = try tool.write("recordName,a,b,c\nr,1,2,1;2\n", to: "rows.csv")
        let arguments = ["import", file, "--type", "T", "--list", "c=;"] + Tool.publicDatabase
        let shown = try await tool.run(arguments + ["--dry-run", "--json"]).object()
        let columns = try #require(shown["columns"] as? [[String: Any]])
        #expect(columns.map { $0["type"] as? String } == ["STRING", "DOUBLE", "LIST<INT64>"])
        #expect(columns.allSatisfy { $0["from"] as? String == "schema" })
        #expect(try await tool.run(arguments).status == 0)
        let record = try await tool.succeed("record", "get", "r", context: Tool.publicDatabase).object()
        let fields = try #require(record["fields"] as? [String: [String: Any]])
        #expect(fields["a"]?["value"] as? String == "1")
        #expect(fields["c"]?["value"] as? [Int] == [1, 2])
        #expect(fields["recordName"] == nil)

        let other = try await tool.run(arguments + ["--column", "a=INT64", "--dry-run", "--json"])
        #expect(other.status == 1)
        let conflict = try #require(try other.object()["columns"] as? [[String: Any]])
        #expect(conflict[0]["conflictsWith"] as? String == "STRING" && conflict[0]["from"] as? String == "option")

        let production = ["--container", Tool.container, "--environment", "production", "--database", "public"]
        let refused = try await tool.run(["import", file, "--type", "T", "--dry-run"] + production)
        #expect(refused.status == 1 && refused.output.contains("stratus schema deploy"))
    }

    private static let lines = [
        #"{"recordName":"all","recordType":"Thing","fields":{"#
            + #""text":{"value":"a,\"b\"\nc ","type":"STRING"},"whole":{"value":9223372036854775807,"type":"INT64"},"#
            + #""number":{"value":0.1,"type":"DOUBLE"},"bytes":{"value":"AAEC/w==","type":"BYTES"},"#
            + #""date":{"value":-1,"type":"TIMESTAMP"},"#
            + #""place":{"value":{"latitude":52.5,"longitude":-13.0},"type":"LOCATION"},"#
            + #""high":{"value":{"latitude":1.0,"longitude":2.0,"altitude":34.5},"type":"LOCATION"},"#
            + #""link":{"value":{"recordName":"other","action":"NONE"},"type":"REFERENCE"},"#
            + #""own":{"value":{"recordName":"other","action":"DELETE_SELF"},"type":"REFERENCE"},"#
            + #""texts":{"value":["b","a,\"c\""],"type":"STRING_LIST"},"#
            + #""dates":{"value":[1769860800123],"type":"TIMESTAMP_LIST"},"#
            + #""links":{"value":[{"recordName":"all","action":"NONE"}],"type":"REFERENCE_LIST"},"#
            + #""secret":{"value":"hidden","type":"STRING","isEncrypted":true}}}"#,
        #"{"recordName":"other","recordType":"Thing","fields":{"text":{"value":"=1+1","type":"STRING"}}}"#,
    ]

    /// What tells one save of a record from another.
    private static let stamps = ["recordChangeTag", "created", "modified"]

    private func records(_ text: String) throws -> [NSDictionary] {
        try text.split(separator: "\n").map { line in
            var record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            for stamp in Self.stamps { record[stamp] = nil }
            return record as NSDictionary
        }
    }

    @Test func whatIsExportedIsReadBackTheSame() async throws {
        let tool = try await tool("iCloud.second")
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        let account = ["--database", "private", "--email", "a@example.org"]
        let own = Tool.context + account
        let second = ["--container", "iCloud.second", "--environment", "development"]
        let source = try tool.write(Self.lines.joined(separator: "\n"), to: "source.jsonl")
        try await tool.succeed("import", source, context: own)
        let table = tool.path("things.csv")
        let exported = try await tool.succeed(
            "export", "--type", "Thing", "--output", table, "--json", context: own)
        #expect(try exported.object()["exported"] as? Int == 2)
        let text = try String(contentsOfFile: table, encoding: .utf8)
        #expect(
            text.hasPrefix("recordName,bytes,date,dates,high,link,links,number,own,place,secret,text,texts,whole\n"))
        for cell in [
            ",1969-12-31T23:59:59.999Z,", ",other,", #","52.5,-13.0","#, #""a,""b""\#nc ""#, ",9223372036854775807\n",
            #""[""b"",""a,\""c\""""]""#,
        ] { #expect(text.contains(cell), "\(cell) in \(text)") }
        #expect(
            try await tool.succeed("export", "--type", "Thing", "--format", "csv", context: own).output
                == text)

        let schema = try tool.write(
            try await tool.succeed("schema", "show", context: Tool.context).output, to: "schema")
        try await tool.succeed("schema", "apply", schema, context: second)
        let target = second + account
        let imported = try await tool.succeed("import", table, "--type", "Thing", context: target)
        #expect(imported.output == "imported 2 records\n")
        let (before, after) = (
            try await tool.succeed("export", "--all", context: own).output,
            try await tool.succeed("export", "--all", context: target).output
        )
        #expect(try records(before) == records(after))
    }

    @Test(arguments: [["--all", "--format", "csv"], ["--all", "--output", "x.csv"], ["--format", "csv"]])
    func aTableHasRecordsOfOneType(options: [String]) async throws {
        let tool = try await tool()
        #expect(try await tool.run(["export"] + options + Tool.publicDatabase).status == 2)
        let unknown = try await tool.run(["export", "--type", "None", "--format", "csv"] + Tool.publicDatabase)
        #expect(unknown.status == 1 && unknown.errors.contains("no record type 'None'"))
    }

    /// A file of many rows takes few lines to tell of in a log.
    @Test func aPipeGetsFewLinesOfProgress() async throws {
        let tool = try await tool()
        let rows = (0..<4_000).map { "\($0)" }.joined(separator: "\n")
        let file = try tool.write("value\n" + rows + "\n", to: "rows.csv")
        let run = try await tool.run(["import", file, "--type", "Row"] + Tool.publicDatabase)
        #expect(run.output == "imported 4000 records\n")
        let lines = run.errors.split(separator: "\n")
        #expect((1...3).contains(lines.count) && lines.allSatisfy { $0.contains("% ") }, "\(run.errors)")
    }
}
