import Foundation
import Glibc
import StratusHTTPTransport
import Testing

/// `stratus migrate` from sources that are not what they should be, and into directories that are not its own.
@Suite struct MigrationTests {
    private let tool: Tool
    private let source: OtherCloud

    init() async throws {
        tool = try Tool()
        source = try OtherCloud()
        try await tool.succeed("container", "create", Tool.container)
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        _ = try tool.write("token", to: "token")
    }

    private func command(_ extra: String...) -> [String] {
        [
            "migrate", "--from", source.url, "--source-container", "iCloud.other", "--email", "a@example.org",
            "--api-token", "a", "--web-auth-token-file", tool.path("token"), "--type", "Note", "--work",
            tool.path("work"), "--json",
        ] + Tool.context + extra
    }

    private func work(_ names: [String]) throws {
        for name in names {
            let path = tool.path("work/" + name)
            try FileManager.default.createDirectory(
                atPath: URL(filePath: path).deletingLastPathComponent().path(), withIntermediateDirectories: true)
            _ = try tool.write("mine", to: "work/" + name)
        }
    }

    @Test(arguments: [[], ["--restart"]], [["letter.txt"], ["assets/photo"], ["records-1.jsonl"], ["lock", "a/b"]])
    func aDirectoryOfSomethingElseIsLeftAlone(options: [String], names: [String]) async throws {
        try work(names)
        let run = try await tool.run(command() + options)
        #expect(run.status == 2 && run.errors.contains("belongs to no migration"), "\(run.errors)")
        for name in names {
            #expect(try String(contentsOfFile: tool.path("work/" + name), encoding: .utf8) == "mine")
        }
    }

    @Test func aStateThatIsNoneIsLeftAlone() async throws {
        try work(["state.json", "letter.txt"])
        let run = try await tool.run(command("--restart"))
        #expect(run.status == 1 && run.errors.contains("state.json"))
        #expect(try String(contentsOfFile: tool.path("work/state.json"), encoding: .utf8) == "mine")
    }

    @Test func aRestartRemovesWhatTheMigrationMade() async throws {
        source.answer { path, _ in path.hasSuffix("query") ? OtherCloud.page([OtherCloud.note()]) : nil }
        try await tool.run(command()).mustSucceed()
        try work(["letter.txt", "records-1.jsonl.mine", "records-99.jsonl", "assets/old"])
        try await tool.run(command("--restart")).mustSucceed()
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: tool.path("work")))
                == [
                    "letter.txt", "records-1.jsonl.mine", "records-1.jsonl", "assets", "state.json", "report.json",
                    "lock",
                ])
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.path("work/assets")).isEmpty)
        #expect(source.queries == 2)
        await source.stop()
    }

    @Test func aSourceThatNeverKnowsItsMarkersIsGivenUp() async throws {
        source.answer { path, body in
            guard path.hasSuffix("query") else { return nil }
            return body.contains("continuationMarker")
                ? OtherCloud.json(#"{"serverErrorCode":"BAD_REQUEST","reason":"old"}"#, status: 400)
                : OtherCloud.page([OtherCloud.note()], marker: "next")
        }
        let run = try await tool.run(command())
        #expect(run.status == 1)
        // Two pages, then both again.
        #expect(source.queries == 4)
        let report = try run.object()
        #expect(report["leftOutCount"] as? Int == 1 && run.output.contains("old"), "\(run.output)")
        await source.stop()
    }

    @Test(arguments: ["https://[", "SOURCE/large", "https://127.0.0.1:1/private"])
    func anAssetThatCannotBeHadIsLeftOutAlone(address: String) async throws {
        let address = address.replacing("SOURCE", with: source.url)
        source.answer { path, _ in
            if path.hasSuffix("/large") {
                return HTTPResponse(
                    status: 200, headers: [], body: .bytes([UInt8](repeating: 0, count: 65 << 20)))
            }
            return path.hasSuffix("query") ? OtherCloud.page([OtherCloud.note(asset: address)]) : nil
        }
        let run = try await tool.run(command())
        let report = try run.object()
        #expect(run.status == 1 && report["leftOutCount"] as? Int == 1, "\(run)")
        let part = (report["parts"] as? [[String: Any]])?.first
        #expect(part?["records"] as? Int == 1 && part?["refused"] as? Int == 0, "the record is there without it")
        let left = (report["leftOut"] as? [[String: Any]])?.first
        #expect(left?["what"] as? String == "asset")
        await source.stop()
    }

    /// What a migration is at when the signal comes.
    enum Work: CaseIterable { case waiting, page, asset }

    @Test(
        "A signal stops it at once, with nothing lost: the same command goes on", arguments: [SIGTERM, SIGINT],
        Work.allCases)
    func aSignalStopsIt(signal: Int32, work: Work) async throws {
        let asset = work == .asset ? source.url + "/bytes" : nil
        source.answer { path, body in
            if path.hasSuffix("/bytes") { return HTTPResponse(status: 200, headers: [], body: .bytes(Array(0..<10))) }
            guard path.hasSuffix("query") else { return nil }
            guard body.contains("continuationMarker") else {
                return OtherCloud.page([OtherCloud.note("first")], marker: "next")
            }
            return work == .waiting
                ? HTTPResponse(status: 503, headers: [("Retry-After", "300")], body: .bytes([]))
                : OtherCloud.page([OtherCloud.note("second", asset: asset)])
        }
        source.keepSilent { path, body in
            switch work {
            case .waiting: false
            case .page: body.contains("continuationMarker")
            case .asset: path.hasSuffix("/bytes")
            }
        }
        let process = Process()
        process.executableURL = Tool.executable
        process.arguments = command().filter { $0 != "--json" }
        process.environment = ["STRATUS_DATA": tool.data.path()]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        let end = Task { try await process.runToEnd() }
        let lines = LineReader(pipe.fileHandleForReading)
        var note = try await lines.next()
        // It says so after the first page.
        while let line = note, !line.contains("1 records") { note = try await lines.next() }
        if work == .waiting {
            while let line = note, !line.contains("waiting 300 s") { note = try await lines.next() }
        } else {
            await source.wasAsked()
        }
        try #require(note != nil)
        kill(process.processIdentifier, signal)
        #expect(try await end.value == signal && process.terminationReason == .uncaughtSignal)
        var rest = ""
        while let line = try await lines.next() { rest += line }
        #expect(rest.contains("interrupted; run the same command again to continue"), "\(rest)")

        let before = source.queries
        source.endSilence()
        source.answer { path, body in
            if path.hasSuffix("/bytes") { return HTTPResponse(status: 200, headers: [], body: .bytes(Array(0..<10))) }
            return path.hasSuffix("query") ? OtherCloud.page([OtherCloud.note("second", asset: asset)]) : nil
        }
        let run = try await tool.run(command())
        let report = try run.object()
        #expect(run.status == 0 && report["leftOutCount"] as? Int == 0, "\(run)")
        #expect((report["parts"] as? [[String: Any]])?.first?["records"] as? Int == 2)
        #expect(report["assets"] as? Int == (work == .asset ? 1 : 0))
        #expect(source.queries == before + 1, "the first page is not fetched again")
        await source.stop()
    }

    @Test func assetsElsewhereComeThroughTheProxyThatIsNamedForThem() async throws {
        source.answer { path, _ in
            path.hasSuffix("query") ? OtherCloud.page([OtherCloud.note(asset: "https://assets.invalid/a")]) : nil
        }
        // Nobody listens there, which it says, and waits.
        let process = Process()
        process.executableURL = Tool.executable
        process.arguments = command("--asset-proxy", "http://127.0.0.1:1").filter { $0 != "--json" }
        process.environment = ["STRATUS_DATA": tool.data.path()]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        let end = Task { try await process.runToEnd() }
        let lines = LineReader(pipe.fileHandleForReading)
        var note: String?
        repeat { note = try await lines.next() } while note?.contains("waiting") == false
        #expect(note?.contains("127.0.0.1") == true, "\(note ?? "")")
        kill(process.processIdentifier, SIGKILL)
        _ = try await end.value
        let wrong = try await tool.run(command("--asset-proxy", "socks5://127.0.0.1"))
        #expect(wrong.status == 2 && wrong.errors.contains("--asset-proxy"))
        await source.stop()
    }
}
