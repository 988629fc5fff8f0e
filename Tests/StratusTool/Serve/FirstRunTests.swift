import Foundation
import Testing

@Suite struct FirstRunTests {
    @Test func theCommandsThatItPrintsWork() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool, ["--first-run"])
        var commands: [String] = []
        while commands.count < 3, let line = try await server.line() {
            if line.hasPrefix("curl ") { commands.append(line) }
        }
        for command in commands {
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", command]
            let file = tool.folder.appending(path: "answer")
            try Data().write(to: file)
            process.standardOutput = try FileHandle(forWritingTo: file)
            #expect(try await process.runToEnd() == 0)
            let answer = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any]
            let records = try #require(answer?["records"] as? [[String: Any]], "\(command)")
            #expect(records.map { $0["recordName"] as? String } == ["first-note"])
        }
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func theVariablesThatItPrintsAreThoseOfTheDemo() async throws {
        let tool = try Tool()
        let server = try await RunningServer(tool, ["--first-run"])
        var exports: [String] = []
        while exports.count < 2, let line = try await server.line() {
            if line.hasPrefix("export ") { exports.append(line) }
        }
        let command =
            exports.joined(separator: "; ")
            + #"; curl -sS -G "$STRATUS_URL/database/1/$STRATUS_CONTAINER/development/public/users/current""#
            + #" --data-urlencode "ckAPIToken=$STRATUS_API_TOKEN""#
            + #" --data-urlencode "ckWebAuthToken=$STRATUS_WEB_AUTH_TOKEN""#
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        let file = tool.folder.appending(path: "answer")
        try Data().write(to: file)
        process.standardOutput = try FileHandle(forWritingTo: file)
        #expect(try await process.runToEnd() == 0)
        let answer = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any]
        #expect((answer?["userRecordName"] as? String)?.hasPrefix("_") == true, "\(answer ?? [:])")
        #expect(try await server.end(by: SIGTERM) == 0)
    }

    @Test func secretsAreShownOnceAndNotKept() async throws {
        let tool = try Tool()
        let first = try await RunningServer(tool, ["--first-run"])
        var password = ""
        while let line = try await first.line(), !line.hasPrefix("curl ") {
            if line.hasPrefix("Password") { password = String(line.split(separator: " ")[1]) }
        }
        #expect(try await first.end(by: SIGTERM) == 0)
        #expect(password.count == 23)
        let files = try FileManager.default.subpathsOfDirectory(atPath: tool.data.path())
        #expect(files.contains { $0.hasSuffix(".ldb") })
        for file in files {
            var isDirectory: ObjCBool = false
            let path = tool.data.appending(path: file).path()
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue else {
                continue
            }
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            #expect(content.range(of: Data(password.utf8)) == nil)
        }
        let second = try await RunningServer(tool, ["--first-run"])
        var lines: [String] = []
        while let line = try await second.line() {
            lines.append(line)
            if line.contains("session create") { break }
        }
        #expect(lines.contains { $0.contains(second.baseURL) })
        #expect(!lines.contains { $0.contains("Password") })
        #expect(try await second.end(by: SIGTERM) == 0)
        #expect(try await tool.succeed("container", "list").output == "iCloud.org.example.demo\n")
    }
}
