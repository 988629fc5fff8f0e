import Foundation
import StratusCloudServer
import Testing

@testable import StratusTool

@Suite struct ServeTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalStopsItCleanly(signal: Int32) async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        #expect(server.baseURL.hasPrefix("http://127.0.0.1:"))
        let socket = ControlSocket.path(for: tool.data.path())
        #expect(FileManager.default.fileExists(atPath: socket))
        #expect(try await server.end(by: signal) == 0)
        #expect(try await server.line()?.hasPrefix("console ") == true)
        #expect(try await server.line() == nil)
        #expect(!FileManager.default.fileExists(atPath: socket))
        let mode = try FileManager.default.attributesOfItem(atPath: tool.data.path())[.posixPermissions] as? Int
        #expect(mode == 0o700)
        let key = tool.data.appending(path: "secret.key").path()
        #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
        #expect(try Data(contentsOf: URL(filePath: key)).count == 32)
    }

    @Test func aSecondServerIsRefused() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        let second = try await tool.run(["serve", "--port", "0", "--json"])
        #expect(second.status == 1)
        #expect(second.output.isEmpty)
        #expect(second.errors.contains("LOCKED"))
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func theSocketOfACrashedServerIsNoHindrance() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        try await tool.succeed("container", "create", Tool.container)
        #expect(try await server.end(by: SIGKILL) != 0)
        #expect(FileManager.default.fileExists(atPath: ControlSocket.path(for: tool.data.path())))
        #expect(try await tool.succeed("container", "list").output == Tool.container + "\n")
        let next = try await RunningServer(tool)
        #expect(try await tool.succeed("container", "list").output == Tool.container + "\n")
        #expect(try await next.end(by: SIGTERM) == 0)
    }

    @Test func commandsAndAServerThatStartsMeanwhileGetAlong() async throws {
        let tool = try Tool()
        let names = (0..<8).map { "iCloud.c\($0)" }
        let server = try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names { group.addTask { try await tool.succeed("container", "create", name) } }
            let server = try await RunningServer(tool)
            try await group.waitForAll()
            return server
        }
        #expect(try await tool.succeed("container", "list").output == names.map { $0 + "\n" }.joined())
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func aSecondSignalEndsItAtOnce() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool, ["--drain-seconds", "3600"])
        let client = try await UnfinishedRequest(to: server)
        server.send(SIGTERM)
        while let line = try await server.logLine(), !line.contains("\"stopping\"") {}
        let status = try await server.end(by: SIGTERM)
        #expect(status == 1)
        try await client.end()
    }

    @Test func aStopWaitsNoLongerThanSaid() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool, ["--drain-seconds", "0"])
        let client = try await UnfinishedRequest(to: server)
        #expect(try await server.end(by: SIGTERM) == 0)
        try await client.end()
    }

    @Test func aDeepDirectoryHasItsSocketElsewhere() async throws {
        let tool = try Tool(depth: 12)
        let server = try await RunningServer(tool)
        let socket = ControlSocket.path(for: tool.data.path())
        #expect(!socket.hasPrefix(tool.data.path()))
        #expect(socket.utf8.count <= ControlSocket.longestPath)
        try await tool.succeed("container", "create", Tool.container)
        #expect(try await server.end(by: SIGTERM) == 0)
        #expect(!FileManager.default.fileExists(atPath: socket))
        #expect(try await tool.succeed("container", "list").output == Tool.container + "\n")
    }

    @Test func aMissingSecretKeyBesideDataIsAnError() async throws {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        try FileManager.default.removeItem(at: tool.data.appending(path: "secret.key"))
        for arguments in [["serve", "--port", "0"], ["container", "list"]] {
            let run = try await tool.run(arguments)
            #expect(run.status == 1)
            #expect(run.errors.contains("secret.key is missing"))
        }
        #expect(!FileManager.default.fileExists(atPath: tool.data.appending(path: "secret.key").path()))
    }

    @Test func theCommandLineWinsOverTheFile() async throws {
        let tool = try Tool()
        let text = #"{"port": 1, "log-level": "error", "tombstone-days": 36500, "drain-seconds": 3600}"#
        let config = try tool.write(text, to: "config.json")
        let server = try await RunningServer(tool, ["--config", config])
        #expect(!server.baseURL.hasSuffix(":1"))
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test(arguments: [
        (#"{"prot": 1}"#, "prot"), (#"{"port": "x"}"#, "port"), (#"{"port": 65536}"#, "port"), ("[]", "object"),
        ("{", "JSON"),
        (#"{"log-level": "loud"}"#, "loud"), (#"{"user-rate": 0}"#, "user-rate"),
        (#"{"private-record-quota": "5X"}"#, "private-record-quota"), (#"{"max-body": 1}"#, "max-body"),
        (#"{"max-operations": 1001}"#, "max-operations"), (#"{"client-concurrency": 0}"#, "client-concurrency"),
        (#"{"client-concurrency": 1000001}"#, "1 to 1000000"),
        (#"{"tombstone-days": 0}"#, "tombstone-days"),
        (#"{"tombstone-days": 36501}"#, "1 to 36500"), (#"{"drain-seconds": 3601}"#, "0 to 3600"),
        (#"{"max-asset": 0}"#, "max-asset"), (#"{"upload-hours": 721}"#, "1 to 720"),
    ])
    func wrongConfigurations(text: String, word: String) async throws {
        let tool = try Tool()
        let config = try tool.write(text, to: "config.json")
        let run = try await tool.run(["serve", "--port", "0", "--config", config])
        #expect(run.status == 2)
        #expect(run.errors.contains(word))
    }

    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("3K", 3_072), ("5M", 5_242_880), ("8388607T", 9_223_370_937_343_148_032),
            ("8388608T", nil), ("-1", nil), ("", nil), ("K", nil), ("5k", nil), ("5 M", nil), ("1.5G", nil),
        ] as [(String, Int64?)])
    func numbersOfBytes(text: String, bytes: Int64?) {
        #expect(ByteCount.parse(text) == bytes)
    }

    @Test func aPortInUseIsAnError() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool)
        let port = try #require(server.baseURL.split(separator: ":").last)
        let run = try await Tool().run(["serve", "--port", String(port)])
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot start"))
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func dataThatCannotBeOpenedIsAClearError() async throws {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let file = tool.data.appending(path: "stratus.leveldb/CURRENT")
        let whole = try Data(contentsOf: file)
        try Data(repeating: 0x41, count: 20_000).write(to: file)
        for arguments in [["serve", "--port", "0"], ["container", "list"]] {
            let run = try await tool.run(arguments)
            #expect(run.status == 1)
            #expect(run.errors.contains("cannot open the data"))
        }
        #expect(try Data(contentsOf: file) == Data(repeating: 0x41, count: 20_000))
        try whole.write(to: file)
        #expect(try await tool.succeed("container", "list").output == Tool.container + "\n")
    }
}
