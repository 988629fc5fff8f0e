import Foundation
import StratusTestSupport
import Testing

/// `stratus user export` and `stratus user erase`, beside the people whose apps talk to the server.
@Suite("Everything about a person")
struct UserCommandTests {
    private let tenant: Tenant
    private let folder: TemporaryDirectory

    init() async throws {
        tenant = try await Tenant(in: try await Cloud())
        folder = try TemporaryDirectory()
    }

    private var context: [String] { ["--container", tenant.container, "--environment", "development"] }

    private func run(_ arguments: String..., input: String = "") async throws -> Tool.Run {
        try await Tool.run(arguments + ["--data", tenant.cloud.directory.path, "--json"], input: input)
    }

    private func json(_ name: String) throws -> JSON {
        try JSON(parsing: try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8))
    }

    private func lines(_ name: String) throws -> [JSON] {
        try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8).split(separator: "\n")
            .map { try JSON(parsing: String($0)) }
    }

    /// Alice shares with Bob and Bob with Alice; both have files, notes for everybody, subscriptions and a device.
    private func used() async throws -> (zone: String, link: String) {
        let zone = try await tenant.privateDatabase.makeZone()
        let shared = try await tenant.privateDatabase.share(
            root: "root", in: zone, with: [Shares.invite(tenant.bob.email)])
        let link = try #require(shared.share["shortGUID"].string)
        let bobsView = tenant.database("shared", tenant.credential(of: tenant.bob))
        _ = try await bobsView.link("accept", link)
        let bobsZone = try await tenant.bobsPrivateDatabase.makeZone()
        let bobs = try await tenant.bobsPrivateDatabase.share(
            root: "bobs", in: bobsZone, with: [Shares.invite(tenant.alice.email)])
        let alicesView = tenant.database("shared", tenant.credential(of: tenant.alice))
        _ = try await alicesView.link("accept", try #require(bobs.share["shortGUID"].string))
        _ = try await tenant.privateDatabase.saveFile(Array("a private file".utf8), "File", "file", zone: zone)
        _ = try await tenant.privateDatabase.modify(
            [Change.forceUpdate("Note", "mine", [:])], zone: zone, ["clientChangeToken": "AQID"])
        try await tenant.publicDatabase.save(Change.create("Note", "alices", ["text": ["value": "for all"]]))
        try await tenant.bobsPublicDatabase.save(Change.create("Note", "bobs", ["text": ["value": "for all"]]))
        _ = try await tenant.privateDatabase.post(
            "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionType": "zone", "subscriptionID": "watch",
                            "zoneID": ["zoneName": .string(zone)],
                        ],
                    ]
                ]
            ])
        let tokens = try await tenant.privateDatabase.send(
            "POST", path: "/device/1/\(tenant.container)/development/tokens/create",
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"apnsEnvironment":"development","clientId":"alices-browser"}"#.utf8))
        #expect(tokens.status == 200)
        return (zone, link)
    }

    @Test("All of a person is written down: who they are, records, files, shares, subscriptions, devices")
    func export() async throws {
        let (zone, _) = try await used()
        let target = folder.path + "/alice"
        let run = try await run("user", "export", tenant.alice.email, "--output", target)
        try #require(run.ending == .exited(0), "\(run)")
        let summary = try JSON(parsing: run.output)
        #expect(summary["assets"] == 1 && summary["environments"] == 1)
        let account = try json("alice/account.json")
        #expect(account["email"].string == tenant.alice.email)
        let place = account["environments"][0]
        #expect(place["userRecordName"].string == tenant.alice.userRecordName)
        #expect(place["sessions"].array?.count == 1)
        let home = "alice/\(tenant.container)/development"
        let records = try lines("\(home)/private.jsonl")
        #expect(Set(records.compactMap { $0["recordName"].string }).isSuperset(of: ["root", "file"]))
        #expect(try lines("\(home)/public.jsonl").compactMap { $0["recordName"].string } == ["alices"])
        let assets = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(home)/assets")
        #expect(assets.count == 1)
        #expect(
            try String(contentsOfFile: "\(folder.path)/\(home)/assets/\(assets[0])", encoding: .utf8)
                == "a private file")
        let shares = try json("\(home)/shares.json")
        #expect(shares[0]["records"][0]["participants"].array?.count == 2)
        #expect(try json("\(home)/shared-zones.json")["zones"].array?.count == 1)
        let zones = try json("\(home)/zones.json")["zones"].array ?? []
        #expect(zones.contains { $0["zoneID"]["zoneName"].string == zone })
        #expect(try json("\(home)/subscriptions.json")["private"]["subscriptions"][0]["subscriptionID"] == "watch")
        #expect(try json("\(home)/devices.json")[0]["clientID"] == "alices-browser")
        let tokens = try json("\(home)/change-tokens.json")
        #expect(tokens.array?.count == 1)
        #expect(tokens[0]["zoneName"].string == zone && tokens[0]["token"] == "AQID")
        #expect(tokens[0]["ownerRecordName"].string == tenant.alice.userRecordName)
        // No secrets, and nothing of Bob's but what he shares.
        let everything = try #require(FileManager.default.enumerator(atPath: target)?.allObjects as? [String])
        for name in everything {
            guard let data = FileManager.default.contents(atPath: target + "/" + name) else { continue }
            let text = String(decoding: data, as: UTF8.self)
            for secret in [tenant.alice.webAuthToken, tenant.apiToken, tenant.alice.password, "argon2"] {
                #expect(!text.contains(secret), "\(name)")
            }
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        // Nothing is overwritten.
        let again = try await self.run("user", "export", tenant.alice.email, "--output", target)
        #expect(again.ending == .exited(1))
        let nobody = try await self.run("user", "export", "nobody@example.org", "--output", folder.path + "/nobody")
        #expect(try JSON(parsing: nobody.errors)["error"] == "NOT_FOUND")
    }

    @Test("An erased person is gone for apps, for those who shared with them, and for the operator")
    func erase() async throws {
        let (_, link) = try await used()
        let bobsView = tenant.database("shared", tenant.credential(of: tenant.bob))
        #expect(try await bobsView.get("zones/list").zones.count == 1)
        // Nobody there to ask.
        let unasked = try await run("user", "erase", tenant.alice.email)
        #expect(unasked.ending == .exited(2) && unasked.errors.contains("--yes"))
        #expect(try await tenant.privateDatabase.get("zones/list").status == 200)

        let run = try await run("user", "erase", tenant.alice.email, "--public-records", "delete", "--yes")
        try #require(run.ending == .exited(0), "\(run)")
        let erased = try JSON(parsing: run.output)["erased"]
        #expect(erased["zones"] == 1 && erased["participations"] == 1 && erased["publicRecords"] == 1)
        #expect(erased["sessions"] == 1 && erased["assetFiles"] == 1)
        let refused = try await tenant.privateDatabase.get("zones/list")
        #expect(refused.status == 401 || refused.status == 421, "\(refused)")
        #expect(try await bobsView.get("zones/list").zones.isEmpty)
        #expect(try await bobsView.link("resolve", link)["serverErrorCode"] == "NOT_FOUND")
        #expect(try await tenant.bobsPublicDatabase.find("alices")["serverErrorCode"] == "NOT_FOUND")
        #expect(try await tenant.bobsPublicDatabase.find("bobs")["recordChangeTag"].isPresent)
        let shares = try await tenant.bobsPrivateDatabase.get("zones/list").zones
        #expect(shares.count == 2)
        let accounts = try await self.run("account", "list")
        #expect(!accounts.output.contains(tenant.alice.email) && accounts.output.contains(tenant.bob.email))
        let session = try await self.run(["session", "create", "--email", tenant.alice.email] + context)
        #expect(session.ending == .exited(1))
        let healthy = try await self.run("doctor")
        #expect(
            try JSON(parsing: healthy.output)["checks"].array?.contains {
                $0["name"] == "consistency" && $0["status"] == "ok"
            } == true)
        // The bytes are gone from the disk.
        let files =
            FileManager.default.enumerator(atPath: tenant.cloud.directory.path + "/assets")?
            .allObjects as? [String] ?? []
        #expect(!files.contains { $0.split(separator: "/").count == 3 })
        #expect(try await self.run("user", "erase", tenant.alice.email, "--yes").ending == .exited(1))
    }

    private func run(_ arguments: [String]) async throws -> Tool.Run {
        try await Tool.run(arguments + ["--data", tenant.cloud.directory.path, "--json"])
    }
}
