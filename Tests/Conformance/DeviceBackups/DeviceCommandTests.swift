import Foundation
import StratusTestSupport
import Testing

/// `stratus device` with the real restic, against the real server.
@Suite("Backing up a device")
struct DeviceCommandTests {
    private let client: BackupClient
    private let folder: TemporaryDirectory

    init() async throws {
        client = try await BackupClient(in: try await Cloud.shared())
        folder = try TemporaryDirectory()
    }

    private var first: [String] { ["--url", client.cloud.server.url, "--email", client.email, "--password-stdin"] }

    private func write(_ text: String, to name: String) throws {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func json(_ run: Tool.Run) throws -> JSON {
        try #require(run.ending == .exited(0), "\(run)")
        return try JSON(parsing: run.output)
    }

    private func backUp(_ client: BackupClient, _ more: [String] = []) async throws -> JSON {
        let run = try await Tool.run(
            ["device", "backup", folder.path, "--device", client.device, "--json"] + more,
            input: more.isEmpty ? "" : client.password + "\n", environment: client.variables)
        return try json(run)
    }

    @Test("Files are backed up, listed, restored on another machine, and whole")
    func wholeLife() async throws {
        try write("one", to: "documents/one.txt")
        try write("two", to: "documents/Ünïcode & $HOME [x].txt")
        let made = try await backUp(client, first)
        let key = try #require(made["recoveryKey"].string)
        #expect(key.count == 64 && made["files"] == 2 && made["complete"] == true)
        let settings = "\(client.home.path)/data/stratus/backup/laptop.json"
        let attributes = try FileManager.default.attributesOfItem(atPath: settings)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        try write("three", to: "three.txt")
        let again = try await backUp(client)
        #expect(again["recoveryKey"] == .absent && again["files"] == 3)
        let listed = try json(try await client.run("list", "--json"))
        #expect(listed["snapshots"].array?.count == 2)
        #expect(try await client.isWhole())

        let other = try await BackupClient(of: client.email, in: client.cloud)
        let keyFile = "\(other.home.path)/key"
        try (key + "\n").write(toFile: keyFile, atomically: false, encoding: .utf8)
        let target = "\(other.home.path)/restored"
        let restored = try await Tool.run(
            ["device", "restore", "--device", "laptop", "--target", target, "--key-file", keyFile] + first,
            input: other.password + "\n", environment: other.variables)
        #expect(restored.ending == .exited(0), "\(restored)")
        for (name, text) in [
            ("documents/one.txt", "one"), ("documents/Ünïcode & $HOME [x].txt", "two"), ("three.txt", "three"),
        ] {
            #expect(try String(contentsOfFile: "\(target)\(folder.path)/\(name)", encoding: .utf8) == text)
        }
        // A key that is lost cannot be made up for by beginning anew under the same name.
        let run = try await Tool.run(
            ["device", "backup", folder.path, "--device", "laptop", "--json"] + first,
            input: other.password + "\n", environment: other.variables)
        #expect(run.ending == .exited(1) && run.errors.contains("EXISTS"), "\(run)")
    }

    /// Sets the extended attribute that keeps an item out of backups.
    private func mark(_ path: String) async throws {
        let script = "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], b'1')"
        let attribute = "user.com.apple.metadata.com_apple_backup_excludeItem"
        let process = try ChildProcess("/usr/bin/env", ["python3", "-c", script, path, attribute])
        try #require(await process.ending == .exited(0))
    }

    /// Makes a directory the one of a synchronized container, as `stratus drive run --dir` does.
    private func chooseDirectory(_ path: String) throws {
        let account = "\(client.home.path)/data/stratus/ubiquity/account"
        try FileManager.default.createDirectory(atPath: account, withIntermediateDirectories: true)
        let places = try JSONEncoder().encode(["iCloud.org.example.app": path])
        try #require(
            FileManager.default.createFile(
                atPath: "\(account)/.places.json", contents: places, attributes: [.posixPermissions: 0o600]))
    }

    @Test("Caches, temporary files and what is marked stay out of the backup")
    func exclusions() async throws {
        for name in [
            "kept.txt", "draft.tmp", "old.txt~", "cached/CACHEDIR.TAG", "cached/data", "marked file $A [1].txt",
            "marked file $A 1.txt", "marked/inside.txt", "trailing ", "tr*ling", "trailing",
        ] {
            try write("x", to: name)
        }
        try "Signature: 8a477f597d28d172789f06886806bc55\n"
            .write(toFile: "\(folder.path)/cached/CACHEDIR.TAG", atomically: false, encoding: .utf8)
        try write("x", to: "synchronized/Documents/inside.txt")
        try chooseDirectory("\(folder.path)/synchronized")
        for name in ["marked file $A [1].txt", "marked", "trailing ", "tr*ling"] {
            try await mark("\(folder.path)/\(name)")
        }
        _ = try await backUp(client, first)
        let run = try await client.restic("ls", "latest", "--no-lock")
        let names = Set(
            run.output.split(separator: "\n").filter { $0.hasPrefix(folder.path + "/") }.map {
                String($0.dropFirst(folder.path.count + 1))
            })
        #expect(
            names == ["kept.txt", "marked file $A 1.txt", "trailing", "cached", "cached/CACHEDIR.TAG"], "\(run)")
        // Saving over a marked file by another one takes the mark away with it.
        try Data("y".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/tr*ling"), options: .atomic)
        _ = try await backUp(client)
        #expect(try await client.restic("ls", "latest", "--no-lock").output.contains("/tr*ling\n"))
        #expect(try await client.isWhole())
    }

    @Test("A large file goes through the server both ways without being held in its memory")
    func memory() async throws {
        let cloud = try await Cloud()
        let client = try await BackupClient(in: cloud)
        try write("small", to: "small.txt")
        let arguments = ["--url", cloud.server.url, "--email", client.email, "--password-stdin"]
        _ = try await backUp(client, arguments)
        let size = 96 << 20
        let random = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        let bytes = try #require(try random.read(upToCount: size))
        try bytes.write(to: URL(fileURLWithPath: "\(folder.path)/large"))
        try cloud.server.resetPeakMemory()
        let before = try cloud.server.peakMemory
        _ = try await backUp(client)
        let target = "\(client.home.path)/restored"
        let restored = try await client.run("restore", "--target", target)
        #expect(restored.ending == .exited(0), "\(restored)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(target)\(folder.path)/large")) == bytes)
        // In KiB. Five uploads at a time of 16 MiB each would be 80 MiB.
        #expect(try cloud.server.peakMemory - before < 40 << 10)
        #expect(try await client.isWhole())
    }

    @Test("Old snapshots are forgotten with an app password that may delete, and with no other")
    func forgetting() async throws {
        try write("one", to: "one.txt")
        _ = try await backUp(client, first)
        try write("two", to: "one.txt")
        _ = try await backUp(client)
        let refused = try await client.run(
            "forget", "--keep-last", "1", "--password-stdin", "--json", input: client.password + "\n")
        #expect(refused.ending == .exited(1) && refused.errors.contains("cannot delete backups"), "\(refused)")
        #expect(try json(try await client.run("list", "--json"))["snapshots"].array?.count == 2)
        let right = try await BackupClient.appPassword(of: client.email, in: client.cloud, mayDelete: true)
        let done = try await client.run(
            "forget", "--keep-last", "1", "--password-stdin", "--json", input: right + "\n")
        #expect(try json(done)["snapshots"].array?.count == 1)
        let settings = try String(
            contentsOfFile: "\(client.home.path)/data/stratus/backup/laptop.json", encoding: .utf8)
        #expect(settings.contains(client.password) && !settings.contains(right))
        #expect(try await client.isWhole())
    }

    @Test("What is missing or wrong is said at once")
    func mistakes() async throws {
        try write("one", to: "one.txt")
        let unknown = try await client.run("list")
        #expect(unknown.ending == .exited(2) && unknown.errors.contains("--url"), "\(unknown)")
        let wrong = try await Tool.run(
            ["device", "backup", folder.path, "--device", "laptop"] + first, input: "wrong\n",
            environment: client.variables)
        #expect(wrong.ending == .exited(1) && wrong.errors.contains("app password is wrong"), "\(wrong)")
        #expect(!FileManager.default.fileExists(atPath: "\(client.home.path)/data/stratus/backup/laptop.json"))
        let name = try await Tool.run(["device", "list", "--device", "../x"], environment: client.variables)
        #expect(name.ending == .exited(2), "\(name)")
        let nothing = try await client.run("forget")
        #expect(nothing.ending == .exited(2) && nothing.errors.contains("--keep-last"), "\(nothing)")
        let lost = try await Tool.run(
            ["device", "backup", "\(folder.path)/nowhere", "--device", "laptop"] + first,
            input: client.password + "\n", environment: client.variables)
        #expect(lost.ending == .exited(1) && lost.errors.contains("nowhere"), "\(lost)")
    }
}
