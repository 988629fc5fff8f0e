import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusTool

/// The records of files, as an operator reads, changes, exports and imports them.
@Suite struct FileRecordTests {
    private static let content = Array("the content".utf8)

    private static func database(_ container: String) -> [String] {
        ["--container", container, "--environment", "development", "--database", "private", "--email", "a@example.org"]
    }

    private static let first = database("iCloud.first")

    private static func line(_ name: String, _ fields: String) -> String {
        #"{"recordName":"\#(name)","recordType":"StratusFile","fields":{\#(fields)},"zoneID":{"zoneName":"_files"}}"#
    }

    private static func text(_ name: String, _ value: String) -> String {
        #""\#(name)":{"value":"\#(value)","type":"STRING"}"#
    }

    private static func folder(_ name: String) -> String {
        #""folder":{"value":{"recordName":"\#(name)","action":"DELETE_SELF"},"type":"REFERENCE"}"#
    }

    /// A folder that comes after what is in it.
    private static func lines() -> [String] {
        let checksum = Base64.string([1] + SHA256.hash(content).prefix(20))
        let asset = #""content":{"value":{"fileChecksum":"\#(checksum)","size":\#(content.count)},"type":"ASSETID"}"#
        return [
            line("a", [text("kind", "file"), text("name", "A.txt"), folder("z"), asset].joined(separator: ",")),
            line(
                "l",
                [text("kind", "link"), text("name", "l"), text("target", "../x"), folder("z")].joined(separator: ",")),
            line("z", [text("kind", "folder"), text("name", "z")].joined(separator: ",")),
        ]
    }

    private func prepared() async throws -> Tool {
        let tool = try Tool()
        for container in ["iCloud.first", "iCloud.second"] { try await tool.succeed("container", "create", container) }
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        let assets = tool.folder.appending(path: "assets")
        try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
        let name = String(Hex.encode(SHA256.hash(Self.content)).prefix(40))
        try Data(Self.content).write(to: assets.appending(path: name))
        let source = try tool.write(Self.lines().joined(separator: "\n"), to: "source.jsonl")
        let run = try await tool.succeed("import", source, context: Self.first)
        #expect(run.output == "imported 3 records\n")
        return tool
    }

    private func fields(_ text: String) throws -> [String: NSDictionary] {
        var records: [String: NSDictionary] = [:]
        for line in text.split(separator: "\n") {
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            var fields = try #require(record["fields"] as? [String: Any])
            // The address differs with each answer.
            if let content = fields["content"] as? [String: Any], let asset = content["value"] as? [String: Any] {
                fields["content"] = asset["fileChecksum"]
            }
            records[try #require(record["recordName"] as? String)] = fields as NSDictionary
        }
        return records
    }

    @Test("Filters and fields have the types of the reserved record types")
    func types() async throws {
        let tool = try await prepared()
        let query = ["query", "--type", "StratusFile", "--zone", "_files", "--filter"]
        let inFolder = try await tool.run(query + ["folder = z"] + Self.first)
        #expect(try fields(inFolder.output).keys.sorted() == ["a", "l"], "\(inFolder.errors)")
        let save = ["record", "save", "a", "--zone", "_files"]
        let saved = try await tool.run(
            save + ["--field", "name=2026", "--field", "executable=1", "--field", "modified=2026-01-31"] + Self.first)
        #expect(saved.status == 0, "\(saved.errors)")
        let changed = try #require(try fields(saved.output)["a"])
        #expect((changed["name"] as? NSDictionary)?["value"] as? String == "2026")
        #expect((changed["modified"] as? NSDictionary)?["type"] as? String == "TIMESTAMP")
        let deleted = try await tool.run(save + ["--field", "deleted=2026-01-31"] + Self.first)
        #expect(deleted.status == 0, "\(deleted.errors)")
        let found = try await tool.run(query + ["deleted > 2001-01-01"] + Self.first)
        #expect(try fields(found.output).keys.sorted() == ["a"], "\(found.errors)")
        let refused = try await tool.run(save + ["--field", "executable=yes"] + Self.first)
        #expect(refused.status == 2 && refused.errors.contains("executable"))
        let unknown = try await tool.run(
            ["export", "--type", "StratusFile", "--zone", "_files", "--format", "csv"] + Self.first)
        #expect(unknown.status == 0 && unknown.output.hasPrefix("recordName,"), "\(unknown.errors)")
    }

    @Test("Files are exported with their contents, and imported elsewhere the same")
    func roundTrip() async throws {
        let tool = try await prepared()
        try await tool.succeed(
            "record", "save", "l", "--zone", "_files", "--field", "deleted=2026-01-31", context: Self.first)
        let (file, assets) = (tool.path("first.jsonl"), tool.path("exported"))
        let exported = try await tool.succeed(
            "export", "--all", "--output", file, "--assets", assets, "--json", context: Self.first)
        #expect(try exported.object()["assets"] as? Int == 1)
        let second = Self.database("iCloud.second")
        let trial = try await tool.succeed("import", file, "--assets", assets, "--dry-run", context: second)
        #expect(trial.output.contains("new zones: _files"), "\(trial.output)")
        #expect(!trial.output.contains("new record types"), "\(trial.output)")
        let imported = try await tool.succeed("import", file, "--assets", assets, context: second)
        #expect(imported.output == "imported 3 records\n")
        let again = try await tool.succeed("export", "--all", context: second).output
        let before = try fields(try String(contentsOfFile: file, encoding: .utf8))
        #expect(try fields(again) == before)
        #expect(before["l"]?["deleted"] != nil && before["l"]?["deletedFrom"] != nil)
    }

    @Test("Rows that break a rule of files are reported with their lines, and the others imported")
    func rules() async throws {
        let tool = try await prepared()
        let folder = Self.text("kind", "folder")
        let rows = [
            Self.line("b", folder + "," + Self.text("name", "Z")),
            Self.line("c", folder + "," + Self.text("name", "..")),
            Self.line("d", folder),
            Self.line("z", folder + "," + Self.text("name", "z") + "," + Self.folder("z")),
            Self.line("e", folder + "," + Self.text("name", "e")),
        ]
        let source = try tool.write(rows.joined(separator: "\n"), to: "more.jsonl")
        let run = try await tool.run(["import", source] + Self.first)
        #expect(run.status == 1 && run.output == "imported 1 records, 4 failed\n")
        for line in 1...4 { #expect(run.errors.contains("line \(line)"), "\(run.errors)") }
        let names = try fields(
            try await tool.succeed("export", "--type", "StratusFile", "--zone", "_files", context: Self.first).output)
        #expect(names.keys.sorted() == ["a", "e", "l", "z"] && names["z"]?["folder"] == nil)
    }

    @Test("The export of a person has their files with the contents")
    func person() async throws {
        let tool = try await prepared()
        try await tool.succeed("user", "export", "a@example.org", "--output", tool.path("ada"))
        let place = tool.path("ada") + "/iCloud.first/development"
        let records = try fields(try String(contentsOfFile: place + "/private.jsonl", encoding: .utf8))
        #expect(records.keys.sorted() == ["a", "l", "z"])
        let assets = try FileManager.default.contentsOfDirectory(atPath: place + "/assets")
        #expect(assets.count == 1)
        let content = try Data(contentsOf: URL(filePath: place + "/assets/" + (assets.first ?? "")))
        #expect([UInt8](content) == Self.content)
    }
}
