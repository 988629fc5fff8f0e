import Foundation
import StratusTestSupport
import Testing

/// `stratus share`, as three people use it.
@Suite("Share command")
struct ShareCommandTests {
    private let tenant: Tenant
    private let carol: Tenant.Person
    private let home: TemporaryDirectory
    private let zone: String

    init() async throws {
        tenant = try await Tenant.shared("Share command")
        carol = try await Tenant.person("carol", in: tenant.cloud, tenant.container)
        home = try TemporaryDirectory()
        zone = try await tenant.privateDatabase.makeZone()
        for person in [tenant.alice, tenant.bob, carol] {
            let run = try await Tool.run(
                [
                    "login", tenant.cloud.server.url, "--container", tenant.container, "--api-token", tenant.apiToken,
                    "--email", person.email, "--password-stdin", "--profile", person.userRecordName,
                ], input: person.password + "\n", environment: environment)
            try #require(run.ending == .exited(0), "\(run)")
        }
    }

    private var environment: [String: String] { ["XDG_CONFIG_HOME": home.path, "STRATUS_PROFILE": ""] }

    private func run(_ person: Tenant.Person, _ arguments: [String]) async throws -> Tool.Run {
        try await Tool.run(
            ["share"] + arguments + ["--profile", person.userRecordName, "--json"], environment: environment)
    }

    /// The object that a command prints.
    @discardableResult
    private func share(_ person: Tenant.Person, _ arguments: String...) async throws -> JSON {
        let run = try await run(person, arguments)
        guard run.ending == .exited(0) else { throw Tool.Failure(description: "\(run)") }
        return try JSON(parsing: run.output)
    }

    /// The code with which a command is refused.
    private func refusal(_ person: Tenant.Person, _ arguments: String...) async throws -> String? {
        let run = try await run(person, arguments)
        #expect(run.ending != .exited(0), "\(run)")
        return try JSON(parsing: run.errors)["error"].string
    }

    @Test("A record is shared: invited, accepted, changed, declined and stopped")
    func record() async throws {
        try await tenant.privateDatabase.save(Change.create("Folder", "root"), zone: zone)
        let made = try await share(tenant.alice, "create", "--zone", zone, "--record", "root", "--title", "Trip")
        let link = try #require(made["link"].string)
        #expect(link.hasPrefix(tenant.cloud.server.url + "/share/"))
        #expect(made["title"] == "Trip" && made["role"] == "owner" && made["publicPermission"] == "none")
        let invited = try await share(tenant.alice, "invite", link, tenant.bob.email, carol.email)
        #expect(invited["participants"].array?.count == 3)
        #expect(try await share(tenant.bob, "show", link)["acceptance"] == "invited")
        let waiting = try await share(tenant.bob, "list")["invitations"].array ?? []
        #expect(waiting.contains { $0["link"].string == link && $0["acceptance"] == "invited" })
        let accepted = try await share(tenant.bob, "accept", link)
        let rest = try await share(tenant.bob, "list")["invitations"].array ?? []
        #expect(!rest.contains { $0["link"].string == link })
        #expect(accepted["acceptance"] == "accepted" && accepted["permission"] == "read-only")
        try await share(tenant.alice, "permission", link, tenant.bob.email, "read-write")
        #expect(try await share(tenant.bob, "show", link)["permission"] == "read-write")
        #expect(try await refusal(tenant.bob, "invite", link, "dan@example.org") == "ACCESS_DENIED")
        #expect(try await refusal(tenant.bob, "stop", link) == "ACCESS_DENIED")
        #expect(try await share(carol, "decline", link)["acceptance"] == "removed")
        #expect(try await refusal(carol, "accept", link) == "ACCESS_DENIED")
        let mine = try await share(tenant.alice, "list")["shares"].array ?? []
        #expect(mine.contains { $0["link"].string == link && $0["role"] == "owner" })
        let bobs = try await share(tenant.bob, "list")["shares"].array ?? []
        #expect(bobs.contains { $0["link"].string == link && $0["role"] == "user" })
        try await share(tenant.alice, "stop", link)
        #expect(try await refusal(tenant.bob, "show", link) == "NOT_FOUND")
        #expect(try await refusal(tenant.alice, "show", link) == "NOT_FOUND")
    }

    @Test("A zone is shared: by a link for everybody, a one-time link, and on request")
    func wholeZone() async throws {
        let made = try await share(
            tenant.alice, "create", "--zone", zone, "--public", "read-only", "--requests", "allow")
        let link = try #require(made["link"].string)
        let guid = try #require(link.split(separator: "/").last.map(String.init))
        // What stands in the link is enough.
        #expect(try await share(carol, "accept", guid)["role"] == "public-user")
        try await share(tenant.alice, "access", link, "--public", "none")
        #expect(try await refusal(carol, "show", link) == "ACCESS_DENIED")
        let withLink = try await share(tenant.alice, "link", link, "--permission", "read-write")
        let oneTime = try #require(withLink["participants"].array?.compactMap { $0["oneTimeLink"].string }.first)
        #expect(try await share(tenant.bob, "accept", oneTime)["permission"] == "read-write")
        #expect(try await refusal(carol, "accept", oneTime) == "ACCESS_DENIED")
        let request = try await tenant.database("public", tenant.credential(of: carol)).post(
            "records/requestAccess", ["shortGUIDs": [["value": .string(guid)]]])
        #expect(request.status == 200)
        let asking = try await share(tenant.alice, "show", link)["requests"].array ?? []
        #expect(asking.map { $0["user"].string } == [carol.userRecordName])
        try await share(tenant.alice, "approve", link, carol.userRecordName)
        #expect(try await share(carol, "accept", link)["acceptance"] == "accepted")
        try await share(tenant.alice, "block", link, carol.userRecordName)
        #expect(try await refusal(carol, "show", link) == "ACCESS_DENIED")
        #expect(try await share(tenant.alice, "unblock", link, carol.userRecordName)["blocked"].array?.isEmpty == true)
        try await share(tenant.alice, "remove", link, tenant.bob.userRecordName)
        #expect(try await refusal(tenant.bob, "show", link) == "ACCESS_DENIED")
        #expect(try await refusal(tenant.alice, "remove", link, tenant.bob.userRecordName) == "NOT_FOUND")
        #expect(try await refusal(tenant.alice, "invite", link, tenant.bob.email, "--mail") == "BAD_REQUEST")
    }

    @Test("An administrator invites, and sends away who asks; appoints nobody; and leaves")
    func administrator() async throws {
        let made = try await share(tenant.alice, "create", "--zone", zone, "--requests", "allow")
        let link = try #require(made["link"].string)
        let guid = try #require(link.split(separator: "/").last.map(String.init))
        let appointing = ["--administrator", "--permission", "read-write"]
        let appointed = try await run(tenant.alice, ["invite", link, tenant.bob.email] + appointing)
        #expect(appointed.ending == .exited(0), "\(appointed)")
        #expect(try await share(tenant.bob, "accept", link)["role"] == "administrator")
        let request = try await tenant.database("public", tenant.credential(of: carol)).post(
            "records/requestAccess", ["shortGUIDs": [["value": .string(guid)]]])
        #expect(request.status == 200)
        let asking = try await share(tenant.bob, "show", link)["requests"].array ?? []
        #expect(asking.map { $0["user"].string } == [carol.userRecordName])
        let denied = try await share(tenant.bob, "deny", link, carol.userRecordName)
        #expect(denied["requests"].array?.isEmpty == true, "\(denied)")
        #expect(try await refusal(carol, "accept", link) == "ACCESS_DENIED")
        try await share(tenant.bob, "invite", link, carol.email)
        #expect(try await share(carol, "accept", link)["permission"] == "read-only")
        let refused = try await run(tenant.bob, ["invite", link, "dan@example.org"] + appointing)
        #expect(try JSON(parsing: refused.errors)["error"] == "ACCESS_DENIED", "\(refused)")
        // To decline what one is in is to leave it.
        #expect(try await share(tenant.bob, "decline", link)["acceptance"] == "removed")
        #expect(try await refusal(tenant.bob, "show", link) == "ACCESS_DENIED")
        #expect(try await share(carol, "show", link)["acceptance"] == "accepted")
    }

    @Test("Commands go to the link's own server only, and say what is missing")
    func refusals() async throws {
        #expect(try await refusal(tenant.alice, "show", "https://evil.example/share/abc") == "AUTHENTICATION_REQUIRED")
        #expect(try await refusal(tenant.alice, "show", "https://evil.example/other/abc") == "USAGE")
        #expect(try await refusal(tenant.alice, "show", tenant.cloud.server.url + "/share/nothing") == "NOT_FOUND")
        #expect(try await refusal(tenant.alice, "create", "--zone", zone, "--record", "nothing") == "NOT_FOUND")
        let nobody = try await Tool.run(
            ["share", "list", "--profile", "nobody", "--json"], environment: environment)
        #expect(try JSON(parsing: nobody.errors)["error"].string == "AUTHENTICATION_REQUIRED")
    }
}
