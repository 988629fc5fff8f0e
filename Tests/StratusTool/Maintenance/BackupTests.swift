import Foundation
import Glibc
import StratusCloudCrypto
import Testing

/// `stratus backup` and `stratus restore`, on a running server and on the data of a stopped one.
@Suite struct BackupTests {
    static let privateDatabase = Tool.context + ["--database", "private", "--email", "a@example.org"]
    static let asset = (0..<700_000).map { UInt8(truncatingIfNeeded: ($0 &* 0x9E37_79B1) >> 11) }

    /// Fifty notes in the public database and a file in a private one.
    func prepared(_ engine: String? = nil) async throws -> Tool {
        let tool = try Tool()
        if let engine {
            let server = try await RunningServer(tool, ["--engine", engine])
            _ = try await server.end(by: SIGTERM)
        }
        try await tool.succeed("container", "create", Tool.container)
        try await tool.succeed(
            "account", "create", "--email", "a@example.org", "--password-stdin", input: "correct horse")
        try await addNotes(0..<50, tool)
        try await addAsset(Self.asset, "file", tool)
        return tool
    }

    func addNotes(_ numbers: Range<Int>, _ tool: Tool) async throws {
        let lines = numbers.map { #"{"recordName":"r\#($0)","recordType":"Note","fields":{"n":{"value":\#($0)}}}"# }
        let file = try tool.write(lines.joined(separator: "\n"), to: "records-\(UUID().uuidString).jsonl")
        try await tool.run(["import", file] + Tool.publicDatabase + ["--type", "Note"]).mustSucceed()
    }

    func addAsset(_ bytes: [UInt8], _ name: String, _ tool: Tool) async throws {
        let file = try writeAsset(bytes, name, tool)
        try await tool.run(["import", file] + Self.privateDatabase).mustSucceed()
    }

    /// A record with an asset, as a file to import.
    func writeAsset(_ bytes: [UInt8], _ name: String, _ tool: Tool) throws -> String {
        let digest = SHA256.hash(bytes)
        let assets = tool.folder.appending(path: "assets")
        try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
        try Data(bytes).write(to: assets.appending(path: String(Hex.encode(digest).prefix(40))))
        let checksum = Data([1] + digest.prefix(20)).base64EncodedString()
        let line =
            #"{"recordName":"\#(name)","recordType":"File","fields":{"file":{"type":"ASSETID","value":"#
            + #"{"fileChecksum":"\#(checksum)","size":\#(bytes.count)}}}}"#
        return try tool.write(line, to: "\(name).jsonl")
    }

    /// What an export of a data directory holds, with the bytes of assets.
    func content(_ tool: Tool, _ data: String) async throws -> (notes: Int, assets: [Data]) {
        let notes = try await tool.run(["export", "--data", data, "--all"] + Tool.publicDatabase)
        try notes.mustSucceed()
        let assets = tool.path("assets-\(UUID().uuidString)")
        try await tool.run(
            ["export", "--data", data, "--all", "--assets", assets] + Self.privateDatabase
        ).mustSucceed()
        let names = try FileManager.default.contentsOfDirectory(atPath: assets).sorted()
        return (
            notes.output.split(separator: "\n").count,
            try names.map { try Data(contentsOf: URL(filePath: assets + "/" + $0)) }
        )
    }

    func files(below path: String) throws -> Set<String> {
        let all = try #require(FileManager.default.enumerator(atPath: path)?.allObjects as? [String])
        return Set(all.filter { !$0.hasPrefix("incoming") })
    }

    @Test(arguments: ["leveldb", "sqlite"], [false, true])
    func aBackupIsRestoredInAnotherDirectory(engine: String, running: Bool) async throws {
        let tool = try await prepared(engine)
        let server = running ? try await RunningServer(tool) : nil
        let copy = tool.path("it's a copy")
        let first = try await tool.succeed("backup", copy, "--json").object()
        let name = try #require(first["snapshot"] as? String)
        #expect(name.hasPrefix("000001-") && first["newBytes"] as? Int ?? 0 > Self.asset.count)
        var status = stat()
        #expect(stat(copy, &status) == 0 && status.st_mode & 0o077 == 0, "for the owner only")
        // Later changes are not in it.
        try await addNotes(50..<60, tool)

        let key = tool.data.path() + "/secret.key"
        let restored = tool.path("restored")
        let run = try await tool.succeed("restore", copy, "--data", restored, "--secret-key", key, "--json")
        #expect(try run.object()["snapshot"] as? String == name)
        #expect(try run.object()["hasSecretKey"] as? Bool == true)
        try await tool.succeed("verify", "--data", restored)
        let found = try await content(tool, restored)
        #expect(found.notes == 50 && found.assets == [Data(Self.asset)])
        let other = try await RunningServer(restored, tool)
        #expect(try await other.end(by: SIGTERM) == 0)

        // The next one adds what is new, and changes no file that was there.
        let before = try files(below: copy)
        let newAsset = Array(Self.asset.reversed().prefix(100_000))
        try await addAsset(newAsset, "second", tool)
        let second = try await tool.succeed("backup", copy, "--json").object()
        #expect(second["newBytes"] as? Int ?? 0 >= newAsset.count)
        #expect(second["newBytes"] as? Int ?? .max < Self.asset.count + newAsset.count)
        #expect(try files(below: copy).isSuperset(of: before))
        try await tool.succeed("restore", copy, "--data", tool.path("later"), "--secret-key", key)
        let later = try await content(tool, tool.path("later"))
        #expect(later.notes == 60 && later.assets.count == 2)
        // The older one is still there.
        try await tool.succeed(
            "restore", copy, "--at", name, "--data", tool.path("earlier"), "--secret-key", key)
        #expect(try await content(tool, tool.path("earlier")).notes == 50)
        let list = try await tool.succeed("restore", copy, "--list").output
        #expect(list.split(separator: "\n").map(String.init) == [name, second["snapshot"] as? String ?? ""])
        if let server { #expect(try await server.end(by: SIGTERM) == 0) }
    }

    @Test func anUnchangedCloudAddsNextToNothing() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        try await tool.succeed("backup", copy)
        let second = try await tool.succeed("backup", copy, "--json").object()
        #expect(second["newBytes"] as? Int ?? .max < 10_000, "\(second)")
        let run = try await tool.succeed("verify", "--backup", copy, "--json").object()
        #expect(run["snapshot"] as? String == second["snapshot"] as? String)
    }

    @Test func onlySoManyAreKept() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        var names: [String] = []
        for round in 0..<3 {
            try await addAsset(Array(Self.asset.dropFirst(round + 1)), "file", tool)
            let answer = try await tool.succeed("backup", copy, "--keep", "2", "--json").object()
            names.append(try #require(answer["snapshot"] as? String))
            #expect(answer["removed"] as? [String] == (round < 2 ? [] : [names[0]]))
        }
        let list = try await tool.succeed("restore", copy, "--list").output
        #expect(list.split(separator: "\n").map(String.init) == Array(names.suffix(2)))
        for name in names.suffix(2) {
            try await tool.succeed("restore", copy, "--at", name, "--data", tool.path(name))
        }
        let gone = try await tool.run(["restore", copy, "--at", names[0], "--data", tool.path("gone"), "--json"])
        #expect(gone.status == 1 && gone.errors.contains("there is no backup"))
        for wrong in ["0", "10001"] {
            #expect(try await tool.run(["backup", copy, "--keep", wrong]).status == 2)
        }
    }

    @Test func keysAreInABackupOnlyWhenAskedFor() async throws {
        let tool = try await prepared()
        let (without, with) = (tool.path("without"), tool.path("with"))
        try await tool.succeed("backup", without)
        try await tool.succeed("backup", with, "--include-keys")
        let bare = try await tool.succeed("restore", without, "--data", tool.path("bare"))
        #expect(bare.errors.contains("secret.key is not in the backup"))
        let refused = try await tool.run(["account", "list", "--data", tool.path("bare"), "--json"])
        #expect(try refused.errorObject()["error"] as? String == "NO_SECRET_KEY")
        try await tool.succeed("restore", with, "--data", tool.path("whole"))
        #expect(
            FileManager.default.contentsEqual(
                atPath: tool.path("whole/secret.key"), andPath: tool.data.path() + "/secret.key"))
        #expect(try await tool.succeed("account", "list", "--data", tool.path("whole")).output == "a@example.org\n")
        let key = try Data(contentsOf: tool.data.appending(path: "secret.key"))
        for name in try files(below: without) where !name.hasSuffix("/") {
            let data = FileManager.default.contents(atPath: without + "/" + name) ?? Data()
            #expect(data.range(of: key) == nil)
        }
    }

    @Test func nothingIsReplaced() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        try await tool.succeed("backup", copy)
        // A directory with something else in it, and one that is full.
        let other = try await tool.run(["backup", tool.folder.path(), "--json"])
        #expect(other.status == 1 && other.errors.contains("neither empty nor a backup"))
        let nowhere = try await tool.run(["backup", tool.path("nowhere/copy"), "--json"])
        #expect(nowhere.status == 1)
        let full = try await tool.run(["restore", copy, "--json"])
        #expect(try full.errorObject()["error"] as? String == "EXISTS")
        #expect(try await content(tool, tool.data.path()).notes == 50)
        let none = try await tool.run(["restore", tool.folder.path(), "--data", tool.path("new")])
        #expect(none.status == 1 && none.errors.contains("is not a backup directory"))
        // An empty directory is as good as none; what lies beside it unfinished is replaced if it is ours.
        try FileManager.default.createDirectory(atPath: tool.path("new"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: tool.path("new.partial"), withIntermediateDirectories: false)
        let inTheWay = try await tool.run(["restore", copy, "--data", tool.path("new"), "--json"])
        #expect(try inTheWay.errorObject()["error"] as? String == "EXISTS")
        _ = try tool.write("", to: "new.partial/restoring")
        _ = try tool.write("half", to: "new.partial/stratus.db")
        try await tool.succeed("restore", copy, "--data", tool.path("new"))
        #expect(access(tool.path("new.partial"), F_OK) != 0)
    }

    @Test func whatACutBackupLeftIsNoHindrance() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        let first = try await tool.succeed("backup", copy, "--json").object()
        // As a power cut leaves them: chunks on their way, a snapshot without its end.
        _ = try tool.write("half a chunk", to: "copy/incoming/" + String(repeating: "ab", count: 32))
        _ = try tool.write(#"{"number":2,"stratusBackup":1,"time":0}"#, to: "copy/incoming/000002-x")
        try await addNotes(50..<51, tool)
        let second = try await tool.succeed("backup", copy, "--json").object()
        for name in [first["snapshot"], second["snapshot"]] {
            let name = try #require(name as? String)
            try await tool.succeed("restore", copy, "--at", name, "--data", tool.path(name))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: copy + "/incoming").isEmpty)
    }

    @Test func damageIsFoundAndNothingIsRestored() async throws {
        let tool = try await prepared()
        let copy = tool.path("copy")
        let name = try #require(try await tool.succeed("backup", copy, "--json").object()["snapshot"] as? String)
        let chunks = try files(below: copy + "/chunks").filter { $0.contains("/") }.sorted()
        for chunk in chunks {
            let url = URL(filePath: copy + "/chunks/" + chunk)
            let good = try Data(contentsOf: url)
            guard !good.isEmpty else { continue }
            var bad = good
            bad[bad.count / 2] ^= 1
            try bad.write(to: url)
            let check = try await tool.run(["verify", "--backup", copy, "--json"])
            #expect(try check.errorObject()["error"] as? String == "CORRUPTED")
            let run = try await tool.run(["restore", copy, "--data", tool.path("new"), "--json"])
            #expect(try run.errorObject()["error"] as? String == "CORRUPTED")
            #expect(access(tool.path("new"), F_OK) != 0 && access(tool.path("new.partial"), F_OK) != 0)
            try good.write(to: url)
        }
        // A snapshot that names files elsewhere, or was changed, is not believed.
        let snapshot = URL(filePath: "\(copy)/snapshots/\(name).jsonl")
        let lines = try String(contentsOf: snapshot, encoding: .utf8)
        for path in ["../evil", "stratus.leveldb/../../evil", "/etc/evil", "evil"] {
            try Data(lines.replacing("stratus.leveldb/CURRENT", with: path).utf8).write(to: snapshot)
            let run = try await tool.run(["restore", copy, "--data", tool.path("new")])
            #expect(run.status == 1 && run.errors.contains("has an unexpected file"), "\(run.errors)")
        }
        let cut = lines.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        try Data(cut.utf8).write(to: snapshot)
        #expect(try await tool.run(["verify", "--backup", copy]).errors.contains("its end is missing"))
        // The next one does without it.
        let next = try await tool.succeed("backup", copy, "--json").object()
        #expect(
            (next["snapshot"] as? String)?.hasPrefix("000002-") == true && next["newBytes"] as? Int ?? .max < 100_000)
        try await tool.succeed("restore", copy, "--data", tool.path("after"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("evil")))
    }
}
