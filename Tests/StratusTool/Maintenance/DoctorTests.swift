import CloudStore
import Foundation
import Glibc
import Testing

/// `stratus doctor`, on a running server and on the data of a stopped one.
@Suite struct DoctorTests {
    private struct Check {
        let status: String
        let detail: String
    }

    private func prepared() async throws -> Tool {
        let tool = try Tool()
        try await tool.succeed("container", "create", Tool.container)
        let lines = (0..<50).map {
            #"{"recordName":"r\#($0)","recordType":"Note","fields":{"n":{"value":\#($0)},"#
                + #""text":{"value":"word \#($0)"}}}"#
        }
        let file = try tool.write(lines.joined(separator: "\n"), to: "records.jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase + ["--type", "Note"]).mustSucceed()
        return tool
    }

    private func checks(_ run: Tool.Run) throws -> [String: Check] {
        let list = try #require(try run.object()["checks"] as? [[String: String]])
        return Dictionary(
            uniqueKeysWithValues: list.map { check in
                (check["name"] ?? "", Check(status: check["status"] ?? "", detail: check["detail"] ?? ""))
            })
    }

    /// Changes the rows of the public database of a stopped server.
    private func change(_ tool: Tool, _ body: @escaping @Sendable (any WriteTransaction) throws -> Void) async throws {
        let store = try StoreEngine.open(directory: tool.data.path())
        try await store.write(Partition("\(Tool.container)/development/public"), body)
        await store.close()
    }

    @Test(arguments: [false, true]) func aSoundCloudIsHealthy(running: Bool) async throws {
        let tool = try await prepared()
        let server = running ? try await RunningServer(tool) : nil
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 0, "\(run.output)")
        #expect(try run.object()["healthy"] as? Bool == true)
        let checks = try checks(run)
        for name in ["permissions", "store", "schema", "consistency"] {
            #expect(checks[name]?.status == "ok", "\(name): \(checks[name]?.detail ?? "")")
        }
        #expect(checks["consistency"]?.detail.contains("50 records") == true)
        // Neither the machine's disk nor its clock is the test's affair, only that they were looked at.
        #expect(checks["disk"] != nil && checks["clock"] != nil)
        let text = try await tool.run(["doctor"])
        #expect(text.output.contains("consistency"))
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test(arguments: [false, true]) func indexesAreRepaired(running: Bool) async throws {
        let tool = try await prepared()
        try await change(tool) { transaction in
            for tag in [UInt8(0x40), 0x41] {
                let range = KeyRange(lower: Key([tag]), upper: Key([tag + 1]))
                for entry in try transaction.entries(in: range, limit: 10_000) { transaction.clear(entry.key) }
            }
        }
        let server = running ? try await RunningServer(tool) : nil
        let query = ["query"] + Tool.publicDatabase + ["--type", "Note", "--filter", "n < 10", "--json"]
        #expect(try await tool.run(query).output.contains("\"r1\"") == false)
        let found = try await tool.run(["doctor", "--json"])
        #expect(found.status == 1)
        #expect(try checks(found)["consistency"]?.detail.contains("--repair puts it right") == true)
        let repaired = try await tool.run(["doctor", "--repair", "--json"])
        #expect(repaired.status == 0)
        #expect(try checks(repaired)["consistency"]?.status == "repaired")
        let again = try await tool.run(["doctor", "--json"])
        #expect(try checks(again)["consistency"]?.status == "ok")
        #expect(try await tool.run(query).output.contains("\"r1\""))
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test func openFilesAreFound() async throws {
        let tool = try await prepared()
        chmod(tool.data.path() + "/secret.key", 0o644)
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 1)
        let check = try #require(try checks(run)["permissions"])
        #expect(check.status == "failed" && check.detail.contains("secret.key has mode 644"))
        chmod(tool.data.path() + "/secret.key", 0o600)
        #expect(try await tool.run(["doctor"]).status == 0)
    }

    @Test func filesOfTheFutureAreFound() async throws {
        let tool = try await prepared()
        var times = [timeval(tv_sec: time(nil) + 86_400, tv_usec: 0), timeval(tv_sec: time(nil) + 86_400, tv_usec: 0)]
        #expect(utimes(tool.data.path() + "/secret.key", &times) == 0)
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 1)
        #expect(try checks(run)["clock"]?.detail.contains("yet to come") == true)
    }

    @Test func configurationsAreReadAsTheServerReadsThem() async throws {
        let tool = try await prepared()
        let good = try tool.write(
            #"{"data":"\#(tool.data.path())","user-rate":50,"log-level":"info"}"#, to: "good.json")
        let run = try await tool.run(["doctor", "--config", good, "--json"], environment: ["STRATUS_DATA": "/nowhere"])
        #expect(run.status == 0, "\(run.output)")
        #expect(try checks(run)["configuration"]?.status == "ok")
        for (text, word) in [
            (#"{"user-rat":50}"#, "is not a setting"), (#"{"user-rate":0}"#, "user-rate"), ("{", "bad.json"),
            (#"{"tls-cert":"/nowhere"}"#, "belong together"), (#"{"smtp-host":"h"}"#, "public-url"),
            (#"{"log-level":"loud"}"#, "loud"), (#"{"metrics-token-file":"/nowhere"}"#, "/nowhere"),
        ] {
            let bad = try tool.write(text, to: "bad.json")
            let run = try await tool.run(["doctor", "--config", bad, "--json"])
            #expect(run.status == 1)
            let check = try #require(try checks(run)["configuration"])
            #expect(check.status == "failed" && check.detail.contains(word), "\(check)")
        }
        // Nothing is made by looking: not even the key that a server would make.
        let push = try tool.write(#"{"web-push-contact":"mailto:a@example.org"}"#, to: "push.json")
        #expect(try await tool.run(["doctor", "--config", push]).status == 0)
        #expect(access(tool.data.path() + "/vapid.key", F_OK) != 0)
    }

    @Test func aDirectoryWithoutDataIsNotMade() async throws {
        let tool = try Tool()
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 1)
        #expect(access(tool.data.path(), F_OK) != 0)
        #expect(try checks(run)["store"]?.detail.contains("there is no data") == true)
    }
}
