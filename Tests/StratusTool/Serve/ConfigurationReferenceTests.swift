import Foundation
import Testing

@testable import StratusCommandLine
@testable import StratusTool

/// `Documentation/configuration.md` says of every option of `stratus serve` what the code says. With
/// `STRATUS_WRITE_REFERENCE=1` its tables are written anew.
@Suite struct ConfigurationReferenceTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Documentation/configuration.md").standardized
    private static let (begin, end) = ("<!-- options -->\n", "<!-- end of options -->")

    /// What a member of the configuration file may be, found out by trying.
    private static func kinds(of name: String) throws -> String {
        func isTaken(_ value: String) throws -> Bool {
            let file = FileManager.default.temporaryDirectory.appending(path: "stratus-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data("{\"\(name)\": \(value)}".utf8).write(to: file)
            do throws(ToolError) {
                _ = try ConfigurationFile.read(file.path())
                return true
            } catch {
                return false
            }
        }
        var kinds: [String] = []
        // 0 and 1 are taken for these, too.
        if try isTaken("true") { return "`true`, `false`" }
        if try ["0", "1", "100", "1048576"].contains(where: { try isTaken($0) }) { kinds.append("number") }
        if try isTaken("\"any\"") {
            kinds.append("text")
        } else if try isTaken("\"1M\"") {
            kinds.append("text such as `\"1M\"`")
        }
        if try isTaken("[\"any\"]") { kinds.append("list of texts") }
        return kinds.isEmpty ? "–" : kinds.joined(separator: " or ")
    }

    private static func row(_ option: Declaration) throws -> String {
        let value = option.form == .flag ? "" : " <\(option.placeholder)>"
        let bounds = option.notes.joined(separator: "; ")
        let columns = [
            "`--\(option.name)\(value)`", try kinds(of: option.name), bounds.isEmpty ? "" : bounds, option.help,
        ]
        return "| \(columns.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |"
    }

    private static func tables() throws -> String {
        try ServeCommand.groups.map { group in
            let rows = try group.options.map { try row($0.declaration) }
            return """
                ## \(group.heading)

                | option | in the file | limits | description |
                | --- | --- | --- | --- |
                \(rows.joined(separator: "\n"))

                """
        }.joined(separator: "\n")
    }

    @Test func everyOptionIsDocumentedAsItIs() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let start = try #require(text.range(of: Self.begin)?.upperBound)
        let stop = try #require(text.range(of: Self.end)?.lowerBound)
        let expected = try Self.tables()
        if ProcessInfo.processInfo.environment["STRATUS_WRITE_REFERENCE"] == "1" {
            try Data((text[..<start] + expected + text[stop...]).utf8).write(to: Self.file)
            return
        }
        #expect(
            String(text[start..<stop]) == expected,
            "STRATUS_WRITE_REFERENCE=1 swift test --filter ConfigurationReferenceTests writes the tables anew")
    }

    /// The groups have all that `serve` takes, each once, and all of it but one can stand in the file under its name.
    @Test func noOptionIsLeftOut() async throws {
        // Options of every command, which a server has no use for.
        let common = ["help", "json", "create-data"]
        let names = ServeCommand.groups.flatMap(\.options).map(\.declaration.name)
        #expect(Set(names).count == names.count)
        let help = try await Tool().succeed("serve", "--help").output
        for match in help.matches(of: /(?m)^ +(?:-., )?--([a-z-]+)/) where !common.contains(String(match.1)) {
            #expect(names.contains(String(match.1)), "\(match.1)")
        }
        #expect(help.matches(of: /(?m)^ +(?:-., )?--[a-z-]+/).count >= names.count)
        let missing = try names.filter { try Self.kinds(of: $0) == "–" }
        #expect(missing == ["config"], "cannot stand in the file")
    }
}
