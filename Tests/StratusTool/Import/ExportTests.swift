import Foundation
import Testing

@Suite struct ExportTests {
    /// Records with every field type, in two zones, with a parent and references into their zones.
    private static let lines = [
        #"{"recordName":"all","recordType":"Everything","fields":{"#
            + #""text":{"value":"a\"\n\u0000 é 東京","type":"STRING"},"whole":{"value":9223372036854775807,"type":"INT64"},"#
            + #""number":{"value":0.1,"type":"DOUBLE"},"round":{"value":3.0,"type":"DOUBLE"},"#
            + #""bytes":{"value":"AAEC/w==","type":"BYTES"},"#
            + #""date":{"value":1769860800123,"type":"TIMESTAMP","exactReferenceSeconds":791553600.1234567},"#
            + #""place":{"value":{"latitude":52.52,"longitude":13.4,"altitude":34.5,"horizontalAccuracy":5.0},"type":"LOCATION"},"#
            + #""link":{"value":{"recordName":"other","action":"DELETE_SELF"},"type":"REFERENCE"},"#
            + #""texts":{"value":["b","a"],"type":"STRING_LIST"},"none":{"value":[],"type":"DOUBLE_LIST"},"#
            + #""wholes":{"value":[1,-9007199254740993],"type":"INT64_LIST"},"#
            + #""links":{"value":[{"recordName":"all","action":"NONE"}],"type":"REFERENCE_LIST"},"#
            + #""secret":{"value":"hidden","type":"STRING","isEncrypted":true}},"zoneID":{"zoneName":"Custom"}}"#,
        #"{"recordName":"other","recordType":"Everything","fields":{},"zoneID":{"zoneName":"Custom"},"#
            + #""parent":{"recordName":"all"}}"#,
        #"{"recordName":"default","recordType":"Plain","fields":{"text":{"value":"","type":"STRING"}}}"#,
    ]

    /// Members that say when, by whom and in which order a record was saved.
    private static let stamps = ["recordChangeTag", "created", "modified"]

    private func context(_ container: String) -> [String] {
        ["--container", container, "--environment", "development"]
    }

    private func database(_ container: String) -> [String] {
        context(container) + ["--database", "private", "--email", "a@example.org"]
    }

    private func withoutStamps(_ text: String) throws -> [NSDictionary] {
        try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            var record = try #require(object as? [String: Any])
            for stamp in Self.stamps { record[stamp] = nil }
            return record as NSDictionary
        }
    }

    @Test func whatIsExportedIsImportedElsewhereTheSame() async throws {
        let tool = try Tool()
        for container in ["iCloud.first", "iCloud.second"] {
            try await tool.succeed("container", "create", container)
        }
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        // An empty list alone does not tell the type of a new field.
        let schema = try tool.write("DEFINE SCHEMA RECORD TYPE Everything ( none LIST<DOUBLE> );", to: "schema")
        try await tool.succeed("schema", "apply", schema, context: context("iCloud.first"))
        let source = try tool.write(Self.lines.joined(separator: "\n"), to: "source.jsonl")
        try await tool.succeed("import", source, context: database("iCloud.first"))
        let first = tool.path("first.jsonl")
        try await tool.succeed("export", "--all", "--output", first, context: database("iCloud.first"))
        let shown = try await tool.succeed("schema", "show", context: context("iCloud.first")).output
        let whole = try tool.write(shown, to: "whole")
        try await tool.succeed("schema", "apply", whole, context: context("iCloud.second"))
        try await tool.succeed("import", first, context: database("iCloud.second"))
        let second = try await tool.succeed("export", "--all", context: database("iCloud.second")).output

        let text = try String(contentsOfFile: first, encoding: .utf8)
        let (exported, again) = (try withoutStamps(text), try withoutStamps(second))
        #expect(exported == again)
        #expect(exported.map { $0["recordName"] as? String } == ["default", "all", "other"])
        for part in [
            "9223372036854775807", "-9007199254740993", "791553600.1234567", #""isEncrypted":true"#, "DOUBLE_LIST",
            #"\u0000"#, "DELETE_SELF", #""parent":"#,
        ] { #expect(second.contains(part), "\(part)") }

        let one = try await tool.succeed("export", "--type", "Plain", context: database("iCloud.first")).output
        #expect(try withoutStamps(one).map { $0["recordName"] as? String } == ["default"])
        let zone = try await tool.succeed("export", "--all", "--zone", "Custom", context: database("iCloud.first"))
        #expect(try withoutStamps(zone.output).count == 2)
    }

    @Test func aFileThatExistsIsNotOverwritten() async throws {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let file = try tool.write("mine", to: "file.jsonl")
        let run = try await tool.run(["export", "--all", "--output", file, "--json"] + Tool.publicDatabase)
        #expect(run.status == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
        let other = tool.path("other.jsonl")
        let written = try await tool.succeed(
            "export", "--all", "--output", other, "--json", context: Tool.publicDatabase)
        #expect(try written.object()["exported"] as? Int == 0)
        let failed = try await tool.run(
            ["export", "--all", "--zone", "None", "--output", other + "2"] + Tool.publicDatabase)
        #expect(failed.status == 1)
        #expect(!FileManager.default.fileExists(atPath: other + "2"))
    }

    @Test func manyRecordsComeInPagesInOrder() async throws {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let names = (0..<1_500).map { String(format: "r%05d", $0) }
        let file = try tool.write("id\n" + names.joined(separator: "\n"), to: "rows.csv")
        try await tool.succeed("import", file, "--type", "Row", "--name-field", "id", context: Tool.publicDatabase)
        let text = try await tool.succeed("export", "--type", "Row", context: Tool.publicDatabase).output
        #expect(try withoutStamps(text).map { $0["recordName"] as? String } == names)
    }
}
