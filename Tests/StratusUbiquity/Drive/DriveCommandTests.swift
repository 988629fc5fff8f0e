import Foundation
import StratusTestSupport
import Testing

@testable import StratusUbiquity

/// `stratus drive …` as processes, with an agent in the tests.
@Suite struct DriveCommandTests {
    private let directory: TemporaryDirectory
    private let environment: [String: String]
    private let container: UbiquityContainer
    private let address: DriveAddress
    private let item = DriveItem(
        path: "Documents/a.txt", recordName: "R", kind: .file, size: 12, modified: Date(timeIntervalSince1970: 1_000),
        isDownloaded: false)

    init() throws {
        directory = try TemporaryDirectory()
        environment = [
            "HOME": directory.path, "XDG_DATA_HOME": directory.path + "/data", "XDG_CONFIG_HOME": directory.path,
            "XDG_RUNTIME_DIR": try directory.runtimeDirectory(), "STRATUS_URL": "http://127.0.0.1:1",
            "STRATUS_WEB_AUTH_TOKEN": "token", "STRATUS_CONTAINER": "iCloud.org.example.drive",
        ]
        let account = try #require(UbiquityAccount.current(environment))
        container = try #require(UbiquityContainer(account.containers[0], of: account, variables: environment))
        try container.create()
        address = DriveAddress(container, variables: environment)
    }

    private func run(_ arguments: String...) async throws -> Tool.Run {
        try await Tool.run(["drive"] + arguments, environment: environment)
    }

    private func json(_ arguments: String...) async throws -> [String: Any] {
        let run = try await Tool.run(["drive"] + arguments + ["--json"], environment: environment)
        #expect(run.ending == .exited(0), "\(run)")
        return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }

    @Test func eachCommandReachesTheAgent() async throws {
        let controls = StaticControls([item])
        let listener = try DriveListener(controls, at: address, lock: address.becomeAgent())
        let status = try await json("status")
        #expect(status["pending"] as? Int == 2 && status["conflicts"] as? Int == 1)
        let lines = try await run("status").output
        #expect(lines.contains("pending: 2\nconflicts: 1\nnot watched: 3 directories"))
        #expect(lines.contains("fs.inotify.max_user_watches\nnot mounted: disk, whose files stay as they were"))
        let items = try await json("ls", "Documents")["items"] as? [[String: Any]]
        #expect(items?.first?["path"] as? String == "Documents/a.txt")
        #expect(items?.first?["modified"] as? String == "1970-01-01T00:16:40Z")
        #expect(items?.first?["isDownloaded"] as? Bool == false)
        #expect(try await run("ls").output.contains("12  Documents/a.txt  (not downloaded)"))
        _ = try await json("download", "a.txt", container.path + "/Documents/b.txt")
        _ = try await json("pin", "Documents/.b.txt.icloud")
        _ = try await json("unpin", "b.txt")
        _ = try await json("deselect", "Photos")
        _ = try await json("select", "Photos")
        let versions = try await json("versions", "a.txt")["versions"] as? [[String: Any]]
        #expect(versions?.first?["version"] as? String == "7" && versions?.first?["device"] as? String == "laptop")
        _ = try await json("restore", "a.txt", "7")
        #expect((try await json("conflicts")["items"] as? [Any])?.count == 1)
        _ = try await json("conflicts", "resolve", "a.txt", "--keep", "7")
        #expect((try await json("deleted")["items"] as? [Any])?.count == 1)
        #expect(try await json("deleted", "restore", "R")["path"] as? String == "a 2.txt")
        #expect(
            controls.calls == [
                "status", "status", "items Documents", "items ", "download a.txt", "download Documents/b.txt",
                "pin true Documents/b.txt", "pin false b.txt", "select false Photos", "select true Photos",
                "versions a.txt", "restore a.txt 7", "conflicts",
                "resolve a.txt 7", "recentlyDeleted", "restoreDeleted R",
            ])
        withExtendedLifetime(listener) {}
    }

    @Test func refusalsNameTheItemAndHaveCodes() async throws {
        let none = try await run("status", "--json")
        #expect(none.ending == .exited(1) && none.errors.contains("\"error\":\"NO_AGENT\""), "\(none)")
        let controls = StaticControls()
        let listener = try DriveListener(controls, at: address, lock: address.becomeAgent())
        let evict = try await run("evict", "a.txt", "--json")
        #expect(evict.ending == .exited(1) && evict.errors.contains("\"error\":\"NOT_UPLOADED\""), "\(evict)")
        #expect(try await run("evict", "a.txt").errors == "stratus: a.txt: the item is not uploaded yet\n")
        let outside = try await run("download", "../a.txt", "--json")
        #expect(outside.ending == .exited(1) && outside.errors.contains("\"error\":\"NOT_FOUND\""), "\(outside)")
        let own = try await run("ls", ".stratus", "--json")
        #expect(own.ending == .exited(1) && own.errors.contains("\"error\":\"ACCESS_DENIED\""), "\(own)")
        #expect(try await run("download").ending == .exited(2))
        #expect(try await run("ls", "--container", "a/b").ending == .exited(2))
        #expect(controls.calls == ["evict a.txt", "evict a.txt"])
        withExtendedLifetime(listener) {}
    }
}
