import StratusTestSupport
import Testing

/// How shares of hierarchies and of zones are made.
@Suite("Making shares")
struct ShareMakingTests: SharingPair {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

    @Test("Case 113: a new share without its root in the call, or the root's version, is refused")
    func case113() async throws {
        let zone = try await owner.makeZone()
        try await owner.save(Change.create("Folder", "root"), zone: zone)
        for operation in [
            Shares.create("Share-1", for: "root"), Shares.create("Share-2"), Shares.create("S", for: "no"),
        ] {
            expectFailed(try await owner.modify([operation], zone: zone).records[0], "BAD_REQUEST", "share")
        }
        #expect(try await owner.find("root", zone: zone)["share"] == .absent)
    }

    @Test("Case 114: share and root together: the root refers to the share, which has a link, its owner and no public")
    func case114() async throws {
        let zone = try await owner.makeZone()
        let (root, share) = try await owner.share(root: "root", in: zone)
        #expect(root["share"]["recordName"] == share["recordName"])
        #expect(share["recordType"] == "cloudkit.share")
        #expect(share["shortGUID"].string?.count == 22)
        #expect(share["shortGUID"] == root["shortGUID"])
        #expect(share["publicPermission"] == "NONE")
        #expect(share["owner"]["userIdentity"]["userRecordName"].string == tenant.alice.userRecordName)
        #expect(share["owner"]["type"] == "OWNER")
        #expect(share["currentUserParticipant"]["acceptanceStatus"] == "ACCEPTED")
        #expect(share["participants"].array?.count == 1)
        #expect(try await owner.find("root", zone: zone) == root)
    }

    @Test("Cases 115, 116: the share is saved again alone, and is found by the root's reference")
    func case115() async throws {
        let zone = try await owner.makeZone()
        let (root, share) = try await owner.share(root: "root", in: zone)
        var change = Shares.update(share, [:])
        change["record"]["fields"] = ["cloudkit.title": ["value": "Trip"]]
        let saved = expectSaved(try await owner.modify([change], zone: zone))[0]
        #expect(saved.value("cloudkit.title") == "Trip")
        let found = try await owner.find(root["share"]["recordName"].string ?? "", zone: zone)
        #expect(found["recordType"] == "cloudkit.share")
        #expect(found["recordChangeTag"] == saved["recordChangeTag"])
        // Always checked for its tag, whatever is asked.
        change["operationType"] = "forceUpdate"
        expectFailed(try await owner.modify([change], zone: zone).records[0], "CONFLICT")
    }

    @Test("Cases 117, 118: a zone is shared as a whole, once")
    func case117() async throws {
        let zone = try await owner.makeZone()
        let share = expectSaved(try await owner.modify([Shares.create("cloudkit.zoneshare")], zone: zone))[0]
        #expect(share["shortGUID"].string?.count == 22)
        let listed = try await owner.post("zones/lookup", ["zones": [["zoneName": .string(zone)]]])
        #expect(listed.zones[0]["share"]["recordName"] == "cloudkit.zoneshare", "\(listed)")
        expectFailed(
            try await owner.modify([Shares.create("cloudkit.zoneshare")], zone: zone).records[0], "EXISTS",
            "record to insert already exists")
        let nested = try await owner.modify(
            [Change.create("Folder", "root"), Shares.create("Share-1", for: "root")], zone: zone)
        expectFailed(nested.records[1], "BAD_REQUEST", "whole")
        #expect(nested.records[1]["extensionErrorCode"] == "ALREADY_SHARED")
    }

    @Test("Case 119: nothing of the default zone or the public database is shared")
    func case119() async throws {
        for database in [owner, tenant.publicDatabase] {
            let answer = try await database.modify(
                [Change.create("Folder", Unique.name("r")), Shares.create(Unique.name("Share-"), for: "r")])
            expectFailed(answer.records[1], "BAD_REQUEST", "custom zones")
        }
        let zoneShare = try await owner.modify([Shares.create("cloudkit.zoneshare")])
        expectFailed(zoneShare.records[0], "BAD_REQUEST", "custom zones")
    }

    @Test("Case 128: a share that was stopped elsewhere is not made anew over an old root")
    func case128() async throws {
        let zone = try await owner.makeZone()
        let (root, share) = try await owner.share(root: "root", in: zone)
        expectDeleted(try await owner.modify([Change.delete(share)], zone: zone).records[0], share.name)
        let again = try await owner.modify(
            [Change.update(root, [:]), Shares.create("Share-2", for: "root")], zone: zone)
        expectFailed(again.records[0], "CONFLICT")
        expectFailed(again.records[1], "ATOMIC_ERROR")
    }

    @Test("Case 130: on the wire the root gets a short GUID first, and the share is made for its version")
    func case130() async throws {
        let zone = try await owner.makeZone()
        var create = Change.create("Folder", "root")
        create["record"]["createShortGUID"] = true
        let root = try await owner.save(create, zone: zone)
        var share = Shares.create("ignored", for: "root", with: [bob])
        share["record"]["recordName"] = .absent
        share["record"]["recordType"] = "cloudKit.share"
        share["record"]["forRecord"]["recordChangeTag"] = root["recordChangeTag"]
        let saved = expectSaved(try await owner.modify([share], zone: zone))[0]
        #expect(saved["recordType"] == "cloudkit.share")
        #expect(saved["recordName"].string?.hasPrefix("Share-") == true)
        #expect(saved["shortGUID"] == root["shortGUID"])
        let invited = try #require(saved["participants"].array?.last)
        #expect(invited["acceptanceStatus"] == "INVITED")
        #expect(invited["userIdentity"]["lookupInfo"]["emailAddress"].string == tenant.bob.email)
        // Whether there is an account is not told.
        #expect(invited["userIdentity"]["userRecordName"] == .absent)
        let found = try await owner.find("root", zone: zone)
        #expect(found["share"]["recordName"] == saved["recordName"])
        expectFailed(
            try await owner.modify([Change.update(root, [:])], zone: zone).records[0], "CONFLICT")
    }
}
