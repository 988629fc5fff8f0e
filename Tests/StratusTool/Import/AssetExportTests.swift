import Foundation
import StratusCloudCrypto
import StratusCloudModel
import Testing

@testable import StratusTool

/// Assets through `stratus export` and `stratus import`, as an operator has them.
@Suite struct AssetExportTests {
    private static let large = (0..<9_000_000 / 8).flatMap { number -> [UInt8] in
        withUnsafeBytes(of: UInt64(number) &* 0x9E37_79B9_7F4A_7C15) { Array($0) }
    }
    private static let contents: [[UInt8]] = [Array("first".utf8), [], large, Array("second".utf8)]

    private static func database(_ container: String) -> [String] {
        ["--container", container, "--environment", "development", "--database", "private", "--email", "a@example.org"]
    }

    private static func digits(_ bytes: [UInt8]) -> String { String(Hex.encode(SHA256.hash(bytes)).prefix(40)) }

    private static func asset(_ bytes: [UInt8]) -> String {
        #"{"fileChecksum":"\#(Base64.string([1] + SHA256.hash(bytes).prefix(20)))","size":\#(bytes.count)}"#
    }

    /// Lines in two zones: an asset, a list with one twice, the same bytes again, none, and one larger than a piece.
    private static let lines = [
        #"{"recordName":"a","recordType":"File","fields":{"file":{"value":\#(asset(contents[0])),"type":"ASSETID"}}}"#,
        #"{"recordName":"b","recordType":"File","fields":{"files":{"value":[\#(asset(contents[3])),"#
            + #"\#(asset(contents[0])),\#(asset(contents[3]))],"type":"ASSETID_LIST"},"n":{"value":1,"type":"INT64"}}}"#,
        #"{"recordName":"c","recordType":"File","fields":{"file":{"value":\#(asset(contents[1])),"type":"ASSETID"}},"#
            + #""zoneID":{"zoneName":"Custom"}}"#,
        #"{"recordName":"d","recordType":"File","fields":{"file":{"value":\#(asset(contents[2])),"type":"ASSETID"}},"#
            + #""zoneID":{"zoneName":"Custom"}}"#,
    ]

    private func tool() async throws -> Tool {
        let tool = try Tool()
        for container in ["iCloud.first", "iCloud.second"] { try await tool.succeed("container", "create", container) }
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        return tool
    }

    /// The lines of a file, and beside it their assets as an export would have put them.
    private func source(_ tool: Tool, _ lines: [String] = lines, to name: String = "source.jsonl") throws -> String {
        let directory = tool.folder.appending(path: "assets")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for bytes in Self.contents { try Data(bytes).write(to: directory.appending(path: Self.digits(bytes))) }
        return try tool.write(lines.joined(separator: "\n") + "\n", to: name)
    }

    private func fields(_ text: String) throws -> [NSDictionary] {
        try text.split(separator: "\n").map { line in
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let fields = try #require(record["fields"] as? NSDictionary)
            return ["name": record["recordName"] ?? "", "zone": record["zoneID"] ?? "", "fields": fields]
        }
    }

    @Test("What is exported with its assets is imported elsewhere the same", arguments: [false, true])
    func roundTrip(isRunning: Bool) async throws {
        let tool = try await tool()
        let server = isRunning ? try await RunningServer(tool) : nil
        let source = try source(tool)
        let imported = try await tool.succeed("import", source, context: Self.database("iCloud.first"))
        #expect(imported.output == "imported 4 records\n")
        let (file, assets) = (tool.path("first.jsonl"), tool.path("exported"))
        let run = try await tool.succeed(
            "export", "--all", "--output", file, "--assets", assets, "--json", context: Self.database("iCloud.first"))
        #expect(try run.object()["exported"] as? Int == 4)
        #expect(try run.object()["assets"] as? Int == 6)
        #expect(try run.object()["assetsLeftOut"] as? Int == 0)
        // Each once, named by its checksum, with its bytes.
        let names = try FileManager.default.contentsOfDirectory(atPath: assets)
        #expect(Set(names) == Set(Self.contents.map(Self.digits)) && names.count == Self.contents.count)
        for bytes in Self.contents {
            let written = try Data(contentsOf: URL(filePath: assets + "/" + Self.digits(bytes)))
            #expect([UInt8](written) == bytes)
        }
        let again = try await tool.succeed(
            "import", file, "--assets", assets, context: Self.database("iCloud.second"))
        #expect(again.output == "imported 4 records\n")
        let second = tool.path("second.jsonl")
        let rest = try await tool.succeed(
            "export", "--all", "--output", second, "--assets", tool.path("again"),
            context: Self.database("iCloud.second"))
        #expect(rest.output == "exported 4 records to \(second); the bytes of 6 assets are in \(tool.path("again"))\n")
        let texts = try [file, second].map { try String(contentsOfFile: $0, encoding: .utf8) }
        #expect(try fields(texts[0]) == fields(texts[1]))
        for bytes in Self.contents {
            let written = try Data(contentsOf: tool.folder.appending(path: "again/" + Self.digits(bytes)))
            #expect([UInt8](written) == bytes)
        }
        // All receipts are used up, and nothing of the first database is in the way of the second.
        let usage = try await tool.succeed("usage", "--json", context: Self.database("iCloud.second")).object()
        let size = Self.contents[0].count * 2 + Self.large.count + Self.contents[3].count * 2
        #expect(usage["assetBytes"] as? Int == size)
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test("Without the option, an export says how many assets' bytes it leaves out")
    func leftOut() async throws {
        let tool = try await tool()
        try await tool.succeed("import", try source(tool), context: Self.database("iCloud.first"))
        let toOutput = try await tool.succeed("export", "--all", context: Self.database("iCloud.first"))
        #expect(toOutput.errors == "the bytes of 6 assets were left out; --assets DIRECTORY writes them\n")
        #expect(try fields(toOutput.output).count == 4)
        let json = try await tool.succeed(
            "export", "--all", "--output", tool.path("x.jsonl"), "--json", context: Self.database("iCloud.first"))
        #expect(try json.object()["assetsLeftOut"] as? Int == 6)
    }

    @Test("A missing or damaged asset is reported with its line, and the import goes on")
    func damaged() async throws {
        let tool = try await tool()
        let others = [
            #"{"recordName":"e","recordType":"File","fields":{"file":{"value":{"fileChecksum":"xx","size":1},"type":"ASSETID"}}}"#,
            #"{"recordName":"f","recordType":"File","fields":{"file":{"value":{"fileChecksum":"AQ==","size":1}}}}"#,
            #"{"recordName":"g","recordType":"File","fields":{"n":{"value":3}}}"#,
        ]
        let source = try source(tool, Self.lines + others)
        let directory = tool.folder.appending(path: "assets")
        // Same size, other bytes; nothing; too short.
        try Data("fIrst".utf8).write(to: directory.appending(path: Self.digits(Self.contents[0])))
        try FileManager.default.removeItem(at: directory.appending(path: Self.digits(Self.contents[1])))
        try Data(Self.large.dropLast()).write(to: directory.appending(path: Self.digits(Self.large)))
        let run = try await tool.run(["import", source] + Self.database("iCloud.first"))
        #expect(run.status == 1)
        #expect(run.output == "imported 1 records, 6 failed\n")
        func line(_ number: Int) -> Substring? {
            run.errors.split(separator: "\n").first { $0.hasPrefix("line \(number): ") }
        }
        for number in [1, 2] {
            #expect(line(number)?.contains("is damaged: its checksum does not match") == true, "\(run.errors)")
            #expect(line(number)?.contains(Self.digits(Self.contents[0])) == true, "\(run.errors)")
        }
        #expect(line(3)?.contains("the asset file") == true && line(3)?.contains("is missing") == true, "\(run.errors)")
        #expect(
            line(4)?.contains("has \(Self.large.count - 1) bytes, not \(Self.large.count)") == true, "\(run.errors)")
        #expect(line(5) != nil && line(6) != nil, "\(run.errors)")
        let left = try await tool.succeed("export", "--all", context: Self.database("iCloud.first")).output
        #expect(try fields(left).map { $0["name"] as? String } == ["g"])
        // What was mended is imported when it is asked for again.
        _ = try self.source(tool)
        let mended = try await tool.run(["import", source] + Self.database("iCloud.first"))
        #expect(mended.output == "imported 4 records\n", "\(mended.errors)")
    }

    @Test("An import that is cut off goes on, and never has more uploads unsaved than a server allows")
    func interrupted() async throws {
        let tool = try await tool()
        // Five batches at a time, once before and once after the interruption.
        let limit = 2 * (ImportLimits.batchesInFlight + 1) * ImportLimits.uploadsPerBatch
        let count = limit + 100
        let directory = tool.folder.appending(path: "assets")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        var text = ""
        for number in 0..<count {
            let bytes = Array("asset \(number)".utf8)
            try Data(bytes).write(to: directory.appending(path: Self.digits(bytes)))
            text +=
                #"{"recordName":"r\#(number)","recordType":"File","fields":{"file":{"value":\#(Self.asset(bytes))}}}"#
                + "\n"
        }
        let file = try tool.write(text, to: "many.jsonl")
        let server = try await RunningServer(tool, ["--max-unsaved-uploads", String(limit)])
        // On a busy machine one may be through before it is cut: then there is nothing to go on with, and another begins.
        var wasCut = false
        for _ in 0..<5 where !wasCut {
            let process = Process()
            process.executableURL = Tool.executable
            process.arguments = ["import", file, "--data", tool.data.path()] + Self.database("iCloud.first")
            let pipe = Pipe()
            process.standardError = pipe
            process.standardOutput = FileHandle.nullDevice
            let reader = LineReader(pipe.fileHandleForReading)
            let end = Task { try await process.runToEnd() }
            let line = try await reader.next()
            kill(process.processIdentifier, SIGKILL)
            _ = try await end.value
            #expect(line?.contains("records") == true)
            wasCut = process.terminationReason == .uncaughtSignal
        }
        #expect(wasCut)
        let rest = try await tool.run(["import", file, "--json"] + Self.database("iCloud.first"))
        #expect(try rest.object()["imported"] as? Int == count, "\(rest.errors)")
        #expect((try rest.object()["resumedAtLine"] as? Int ?? 0) > 1)
        let usage = try await tool.succeed("usage", "--json", context: Self.database("iCloud.first")).object()
        #expect(usage["assetBytes"] as? Int == (0..<count).reduce(0) { $0 + "asset \($1)".utf8.count })
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test("Records that have their assets already need no bytes")
    func bytesThatAreThere() async throws {
        let tool = try await tool()
        let file = try source(tool)
        try await tool.succeed("import", file, context: Self.database("iCloud.first"))
        try FileManager.default.removeItem(at: tool.folder.appending(path: "assets"))
        let again = try await tool.succeed("import", file, context: Self.database("iCloud.first"))
        #expect(again.output == "imported 4 records\n")
    }

    @Test("What lies in the directory is not trusted: no name of a file comes out of a line")
    func foreignNames() async throws {
        let tool = try await tool()
        _ = try source(tool)
        let outside =
            #"{"recordName":"a","recordType":"F","fields":{"f":{"value":{"fileChecksum":"../source.jsonl","size":1}}}}"#
        let file = try tool.write(outside, to: "evil.jsonl")
        let run = try await tool.run(["import", file] + Self.database("iCloud.first"))
        #expect(run.status == 1 && run.errors.hasPrefix("line 1: "), "\(run.errors)")
    }
}
