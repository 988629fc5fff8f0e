import Foundation
import StratusTestSupport
import Testing

/// What people try who were removed, and what leaves the cloud with the records that are shared.
@Suite("Threats to sharing")
struct SharingThreatTests {
    let tenant: Tenant
    let owner: Database
    let guest: Database

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        owner = tenant.privateDatabase
        guest = tenant.database("shared", tenant.credential(of: tenant.bob))
    }

    private func place(_ zone: String) -> JSON {
        ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)]
    }

    @Test("Threat 45: a removed participant's edits arrive later: denied as a zone that is not there, file and all")
    func threat45() async throws {
        let zone = try await owner.makeZone()
        let place = place(zone)
        let (_, share) = try await owner.share(
            root: "root", in: zone, with: [Shares.invite(tenant.bob.email, "READ_WRITE")])
        expectSaved(try await owner.modify([Shares.child("child", of: "root")], zone: zone))
        _ = try await tenant.bobsPublicDatabase.link("accept", share["shortGUID"].string ?? "")
        let child = try await guest.lookup(["child"], in: place)[0]
        // Before they are removed they have sent a file, and may send another.
        func upload() async throws -> String {
            let answer = try await guest.post(
                "assets/upload",
                ["tokens": [["recordType": "Item", "recordName": "child", "fieldName": "file"]], "zoneID": place])
            return try #require(answer.json["tokens"][0]["url"].string, "\(answer)")
        }
        let receipt = try JSON(
            parsing: try await Database.transfer("POST", try await upload(), body: Array("offline".utf8)).body)
        let address = try await upload()
        let token = try #require(try await guest.page(place)["syncToken"].string)

        let current = try await owner.find(share.name, zone: zone)
        expectSaved(try await owner.modify([Shares.update(current, ["participants": []])], zone: zone))
        let before = try await owner.syncToken(of: zone)

        let late = try JSON(
            parsing: try await Database.transfer("POST", address, body: Array("late".utf8)).body)
        for asset in [receipt, late] where asset["singleFile"].isPresent {
            let edit = Change.update(child, ["file": Fields.typed("ASSETID", asset["singleFile"])])
            expectFailed(try await guest.modify([edit], in: place).records[0], "ZONE_NOT_FOUND", "does not exist")
        }
        let edits = [
            Change.update(child, Fields.untyped(["title": "late"])), Change.delete(child), Change.forceDelete("child"),
            Shares.child("new", of: "root"), Change.update(share, Fields.untyped(["cloudkit.title": "late"])),
        ]
        for edit in edits {
            for atomic in [true, false] {
                let answer = try await guest.modify([edit], ["zoneID": place, "atomic": .bool(atomic)])
                expectFailed(answer.records[0], "ZONE_NOT_FOUND", "does not exist")
            }
        }
        #expect(try await guest.page(place, since: token)["serverErrorCode"] == "ZONE_NOT_FOUND")
        #expect(try await owner.zonePage(zone, since: before).records.isEmpty)
        #expect(try await owner.find("child", zone: zone)["recordChangeTag"] == child["recordChangeTag"])
    }

    @Test(
        "An export takes shared records along as plain ones, and nobody who takes part; nor does an import let anybody in"
    )
    func export() async throws {
        let zone = try await owner.makeZone()
        let (_, share) = try await owner.share(
            root: "root", in: zone,
            with: [Shares.invite(tenant.bob.email), ["type": "USER", "permission": "READ_ONLY"]])
        expectSaved(try await owner.modify([Shares.child("child", of: "root")], zone: zone))
        _ = try await tenant.bobsPublicDatabase.link("accept", share["shortGUID"].string ?? "")
        let file = tenant.cloud.directory.path + "/" + Unique.name("export") + ".jsonl"
        let database = [
            "--container", tenant.container, "--environment", "development", "--database", "private", "--email",
            tenant.alice.email,
        ]
        _ = try await tenant.cloud.tool(["export", "--all", "--zone", zone, "--output", file] + database)
        let lines = try String(contentsOfFile: file, encoding: .utf8)
        #expect(lines.split(separator: "\n").count == 2, "\(lines)")
        let once = try #require(share["participants"].array?.compactMap { $0["oneTimeShortGUID"].string }.first)
        for secret in [tenant.bob.email, tenant.bob.userRecordName, once, "cloudkit.share"] {
            #expect(!lines.contains(secret), "\(lines)")
        }
        let other = try await owner.makeZone()
        _ = try await tenant.cloud.tool(["import", "--zone", other] + database + [file])
        let root = try await owner.find("root", zone: other)
        #expect(root.value("title") == "Root")
        #expect(root["share"] == .absent, "\(root)")
        #expect(try await owner.find("child", zone: other)["parent"]["recordName"] == "root")
        #expect(try await guest.page(place(other))["serverErrorCode"] == "ZONE_NOT_FOUND")
        // The link leads where it led.
        let link = try await tenant.bobsPublicDatabase.link("resolve", share["shortGUID"].string ?? "")
        #expect(link["zoneID"]["zoneName"].string == zone)
        // It can be shared anew.
        let (_, again) = try await owner.share(root: "root", in: other)
        #expect(again["shortGUID"].string != share["shortGUID"].string)
    }
}
