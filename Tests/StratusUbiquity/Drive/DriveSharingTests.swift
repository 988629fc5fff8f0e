import Foundation
import StratusCloudCrypto
import StratusTestSupport
import Testing

/// `stratus drive share` and `publish`, on a machine with a running agent and a real server.
@Suite struct DriveSharingTests {
    private let tenant: Tenant
    private let machine: DriveMachine

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        machine = try DriveMachine(tenant, tenant.alice)
    }

    @Test("a folder is shared by its path: people are invited, the link is opened, and sharing is stopped")
    func sharing() async throws {
        let agent = try await machine.startAgent()
        defer { agent.send(SIGKILL) }
        try machine.write("hello", to: "Plans/a.txt")
        #expect(try await machine.json("drive", "share", "Plans")["share"].object == nil)
        #expect(try await machine.run("drive", "share", "Plans").output == "'Plans' is not shared\n")
        #expect(try await machine.refusal("drive", "share", "Plans", "--stop") == "NOT_FOUND")
        #expect(try await machine.refusal("drive", "share", "Plans/b.txt") == "NOT_FOUND")

        let invited = try await machine.json(
            "drive", "share", "Plans", tenant.bob.email, "somebody@example.org", "--permission", "write")
        let share = invited["share"]
        #expect(invited["path"].string == "Plans" && share["title"].string == "Plans")
        #expect(share["permission"].string == "read-write" && share["publicPermission"].string == "none")
        let people = (share["participants"].array ?? []).filter { $0["role"].string == "user" }
        #expect(people.count == 2 && people.allSatisfy { $0["permission"].string == "read-write" }, "\(people)")
        let shown = try await machine.run("drive", "share", "Plans").output
        #expect(shown.contains("somebody@example.org: user, read-write, invited"), "\(shown)")
        #expect(try await machine.refusal("drive", "share", "Plans", tenant.bob.email) == "BAD_REQUEST")
        #expect(try await machine.refusal("drive", "share", "Plans", tenant.bob.email, "--link") == "USAGE")

        let link = try #require(share["link"].string)
        let opened = try await machine.json("drive", "share", "Plans", "--link")
        #expect(opened["share"]["link"].string == link && opened["share"]["publicPermission"].string == "read-only")
        #expect(try await machine.json("drive", "share", "Plans") == opened)
        #expect(try await machine.json("drive", "ls")["items"][0]["isShared"] == true)

        // What is in a shared folder cannot be shared by itself.
        #expect(try await machine.refusal("drive", "share", "Plans/a.txt", "--link") == "BAD_REQUEST")

        #expect(try await machine.json("drive", "share", "Plans", "--stop")["share"].object == nil)
        #expect(try await machine.json("drive", "share", "Plans")["share"].object == nil)
    }

    @Test("a file is published as it is, and the link ends")
    func publishing() async throws {
        let agent = try await machine.startAgent()
        defer { agent.send(SIGKILL) }
        try machine.write("first", to: "a.txt")
        let published = try await machine.json("drive", "publish", "a.txt", "--expires", "1h")
        let link = try #require(published["link"].string)
        #expect(published["name"].string == "a.txt")
        try machine.write("second", to: "a.txt")
        #expect(try await RawTransfer.download(from: link) == SHA256.hash(Array("first".utf8)))

        let listed = try await machine.json("drive", "published")["publications"]
        #expect(listed.array?.count == 1 && listed[0]["publication"] == published["publication"])
        #expect(listed[0]["link"].string == nil)
        let id = try #require(published["publication"].string)
        #expect(try await machine.json("drive", "unpublish", id)["unpublished"].string == id)
        #expect(try await machine.json("drive", "published")["publications"].array?.isEmpty == true)
        #expect(try await machine.refusal("drive", "unpublish", id) == "NOT_FOUND")

        try machine.write("x", to: "d/x.txt")
        #expect(try await machine.refusal("drive", "publish", "d") != nil)
        for time in ["59", "91d", "-1h", "1w", "h", "9223372036854775807d"] {
            #expect(
                try await machine.run("drive", "publish", "a.txt", "--expires=\(time)").ending == .exited(2), "\(time)")
        }
    }

    @Test("names of files that others chose do nothing to the terminal")
    func names() async throws {
        let agent = try await machine.startAgent()
        defer { agent.send(SIGKILL) }
        // A right-to-left override, which the server takes in names. The joiners of a picture change nothing.
        try machine.write("hello", to: "a\u{202E}txt.exe")
        try machine.write("hello", to: "👩‍👧.txt")
        let list = try await machine.run("drive", "ls")
        #expect(list.output.contains("a\u{FFFD}txt.exe") && !list.output.contains("\u{202E}"), "\(list)")
        #expect(list.output.contains("👩‍👧.txt"))
        _ = try await machine.run("drive", "publish", "a\u{202E}txt.exe")
        #expect(try await !machine.run("drive", "published").output.contains("\u{202E}"))
        _ = try await machine.json("drive", "share", "a\u{202E}txt.exe", "--link")
        let share = try await machine.run("drive", "share", "a\u{202E}txt.exe")
        #expect(share.output.contains("a\u{FFFD}txt.exe") && !share.output.contains("\u{202E}"), "\(share)")
        let missing = try await machine.run("drive", "pin", "b\u{202E}\u{1B}[31m")
        #expect(missing.ending == .exited(1))
        #expect(!missing.errors.contains("\u{202E}") && !missing.errors.contains("\u{1B}"), "\(missing)")
    }

    @Test("the zone of files is not shared as a whole, and the message names the command to use")
    func wholeZone() async throws {
        let run = try await machine.signedIn(tenant, tenant.alice).run("share", "create", "--zone", "_files")
        #expect(run.ending == .exited(2) && run.errors.contains("stratus drive share"), "\(run)")
    }
}
