import Foundation
import Glibc
import StratusCloudStore
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
        #expect(try checks(found)["consistency"]?.detail.contains("run with --repair to repair them") == true)
        let repaired = try await tool.run(["doctor", "--repair", "--json"])
        #expect(repaired.status == 0)
        #expect(try checks(repaired)["consistency"]?.status == "repaired")
        let again = try await tool.run(["doctor", "--json"])
        #expect(try checks(again)["consistency"]?.status == "ok")
        #expect(try await tool.run(query).output.contains("\"r1\""))
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    /// Makes the first value of a range of a stopped server's data one that nobody can read.
    private func damage(_ tool: Tool, _ partition: String, below prefix: UInt8) async throws {
        let store = try StoreEngine.open(directory: tool.data.path())
        try await store.write(Partition(partition)) { transaction in
            let range = KeyRange(lower: Key([prefix]), upper: Key([prefix + 1]))
            for entry in try transaction.entries(in: range, limit: 1) { transaction.set(entry.key, [0xFF, 0xFF]) }
        }
        await store.close()
    }

    @Test("What is damaged itself is told, whether it is to be repaired or not")
    func damageIsNotRepaired() async throws {
        let tool = try await prepared()
        // A record, then the schema's record type, by where the key layout has them.
        try await damage(tool, "\(Tool.container)/development/public", below: 0x21)
        for words in [["doctor", "--json"], ["doctor", "--repair", "--json"]] {
            let run = try await tool.run(words)
            #expect(run.status == 1)
            let found = try checks(run)
            #expect(found["consistency"]?.status == "failed", "\(run.output)")
            #expect(found["consistency"]?.detail.contains("--repair") == false)
            #expect(found["schema"]?.status == "ok")
        }
        try await damage(tool, "\(Tool.container)/development", below: 0x02)
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 1)
        #expect(try checks(run)["schema"]?.status == "failed", "\(run.output)")
    }

    @Test func damagedFilesAreFound() async throws {
        let tool = try await prepared()
        let large = String(repeating: "damage-me ", count: 4_000)
        let line = #"{"recordName":"large","recordType":"Note","fields":{"text":{"value":"\#(large)"}}}"#
        let file = try tool.write(line, to: "large.jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase + ["--type", "Note"]).mustSucceed()
        #expect(try checks(try await tool.run(["doctor", "--json"]))["store"]?.status == "ok")
        try StoredBytes.damage(Data(large.utf8.prefix(3_000)), in: tool.data.appending(path: "stratus.leveldb"))
        let run = try await tool.run(["doctor", "--json"])
        #expect(run.status == 1)
        #expect(try checks(run)["store"]?.status == "failed", "\(run.output)")
    }

    @Test("A disk with less room than twice what uploads leave is a warning, and no failure")
    func theReserveIsNearlyReached() async throws {
        let tool = try await prepared()
        for (reserve, status) in [("0", "ok"), ("8000000000000000000", "warning")] {
            let file = try tool.write(
                #"{"data":"\#(tool.data.path())","asset-disk-reserve":\#(reserve)}"#, to: "reserve.json")
            let run = try await tool.run(["doctor", "--config", file, "--json"])
            let check = try #require(try checks(run)["disk"])
            // The machine that tests run on may be full itself.
            if check.status != "failed" {
                #expect(check.status == status, "\(check)")
                #expect(run.status == 0, "\(run.output)")
            }
        }
    }

    @Test("A key that is gone, a folder that others may enter, a file of somebody else, and no folder at all")
    func permissions() async throws {
        let tool = try await prepared()
        func failure() async throws -> String {
            let run = try await tool.run(["doctor", "--json"])
            #expect(run.status == 1)
            let check = try #require(try checks(run)["permissions"])
            #expect(check.status == "failed")
            return check.detail
        }
        let (data, key) = (tool.data.path(), tool.data.path() + "/secret.key")
        for path in [data, data + "/stratus.leveldb"] {
            chmod(path, 0o750)
            #expect(try await failure().contains("\(path) has mode 750"))
            chmod(path, 0o700)
        }
        if geteuid() == 0 {
            chown(key, 65_534, 65_534)
            #expect(try await failure().contains("secret.key belongs to another user (65534)"))
            chown(key, 0, 0)
        }
        #expect(rename(key, key + ".away") == 0)
        #expect(try await failure().contains("secret.key is missing: restore it from your backup"))
        #expect(rename(key + ".away", key) == 0)
        #expect(try await tool.run(["doctor"]).status == 0)
        #expect(rename(data, data + ".away") == 0)
        #expect(try await failure().contains(data))
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
        #expect(try checks(run)["clock"]?.detail.contains("in the future") == true)
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
            (#"{"tls-cert":"/nowhere"}"#, "must be set together"), (#"{"smtp-host":"h"}"#, "public-url"),
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
