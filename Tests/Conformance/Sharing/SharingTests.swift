import StratusTestSupport
import Testing

/// Taking part in shares of hierarchies and of zones, and how that ends.
@Suite("Sharing")
struct SharingTests: SharingPair {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

    @Test("Cases 120, 127: the owner ends the share; records stay, participants lose the zone, and their feed says so")
    func case120() async throws {
        let (zone, place, share) = try await joined()
        let before = try await guest.databaseChanges()
        #expect(before.zones.contains { $0["zoneID"]["zoneName"].string == zone && $0["deleted"] == false })
        expectDeleted(try await owner.modify([Change.forceDelete(share.name)], zone: zone).records[0], share.name)
        let root = try await owner.find("root", zone: zone)
        #expect(root["share"] == .absent)
        #expect(root["recordType"] == "Folder")
        #expect(try await owner.find("child", zone: zone)["recordType"] == "Item")
        let after = try await guest.databaseChanges(since: before.json["syncToken"].string)
        #expect(after.zones.contains { $0["zoneID"]["zoneName"].string == zone && $0["deleted"] == true }, "\(after)")
        expectFailed(try await guest.lookup(["child"], in: place)[0], "ZONE_NOT_FOUND")
        #expect(try await guest.page(place)["serverErrorCode"] == "ZONE_NOT_FOUND")
    }

    @Test("Cases 121, 122: a participant who deletes the share leaves it, and deletes nothing afterwards")
    func case121() async throws {
        let (zone, place, share) = try await joined()
        expectDeleted(try await guest.modify([Change.forceDelete(share.name)], in: place).records[0], share.name)
        #expect(try await owner.find("root", zone: zone)["share"]["recordName"] == share["recordName"])
        #expect(try await owner.find(share.name, zone: zone)["participants"].array?.count == 1)
        for name in ["root", "child"] {
            expectFailed(
                try await guest.modify([Change.forceDelete(name)], in: place).records[0], "ZONE_NOT_FOUND")
            #expect(try await owner.find(name, zone: zone)["recordType"].isPresent)
        }
    }

    @Test("Case 123: in the shared database a record needs a parent in the share")
    func case123() async throws {
        let (zone, place, _) = try await joined()
        expectSaved(try await owner.modify([Change.create("Item", "hidden")], zone: zone))
        for operation in [Change.create("Item", "alone"), Shares.child("below", of: "hidden")] {
            expectFailed(
                try await guest.modify([operation], in: place).records[0], "ACCESS_DENIED",
                "CREATE operation not permitted")
        }
    }

    @Test("Case 124: who may only read saves, adds and deletes nothing")
    func case124() async throws {
        let (zone, place, _) = try await joined("READ_ONLY")
        let child = try await guest.lookup(["child"], in: place)[0]
        #expect(child.value("title") == "child")
        for operation in [
            Change.update(child, Fields.untyped(["title": "x"])), Shares.child("new", of: "root"),
            Change.delete(child), Change.forceUpdate("Folder", "root", [:]),
        ] {
            expectFailed(try await guest.modify([operation], in: place).records[0], "ACCESS_DENIED")
        }
        try await expectUnchanged(try await owner.find("child", zone: zone), in: owner, zone: zone)
    }

    @Test("Cases 125, 126: who may write adds a child; the owner's feed has it, made by the participant")
    func case125() async throws {
        let (zone, place, _) = try await joined()
        let feed = try await guest.databaseChanges()
        let item = try #require(feed.zones.first { $0["zoneID"]["zoneName"].string == zone })
        #expect(item["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName)
        let token = try await owner.syncToken(of: zone)
        expectSaved(try await guest.modify([Shares.child("theirs", of: "root", "create")], in: place))
        let page = try await owner.zonePage(zone, since: token)
        #expect(names(page) == ["theirs"])
        #expect(page.records[0]["created"]["userRecordName"].string == tenant.bob.userRecordName)
        #expect(names(try await guest.page(place)).isSuperset(of: ["root", "child", "theirs"]))
    }

    @Test("Threat 44: participants neither raise themselves, nor invite, nor take records out of the share")
    func threat44() async throws {
        let (zone, place, share) = try await joined()
        expectSaved(try await owner.modify([Change.create("Folder", "elsewhere")], zone: zone))
        let seen = try await guest.lookup([share.name], in: place)[0]
        #expect(seen["participants"].array?.count == 2)
        for members in [
            ["participants": [Shares.invite("eve@example.org")]], ["publicPermission": "READ_WRITE"],
            ["participants": [Shares.invite(tenant.bob.email, "READ_WRITE", as: "ADMINISTRATOR")]],
        ] as [JSON] {
            expectFailed(try await guest.modify([Shares.update(seen, members)], in: place).records[0], "ACCESS_DENIED")
        }
        var out = Change.forceUpdate("Item", "child", [:])
        for parent in [["recordName": "elsewhere"], .null] as [JSON] {
            out["record"]["parent"] = parent
            expectFailed(try await guest.modify([out], in: place).records[0], "ACCESS_DENIED")
        }
        expectFailed(try await guest.modify([Change.forceDelete("root")], in: place).records[0], "ACCESS_DENIED")
        #expect(try await owner.find("child", zone: zone)["parent"]["recordName"] == "root")
        #expect(try await owner.find(share.name, zone: zone)["publicPermission"] == "NONE")
    }

    @Test("Threat 46: children come into the share and leave it with their parents, once in each feed")
    func threat46() async throws {
        let (zone, place, _) = try await joined()
        expectSaved(
            try await owner.modify(
                [Change.create("Folder", "other"), Shares.child("a", of: "other"), Shares.child("b", of: "a")],
                zone: zone))
        var page = try await guest.page(place)
        #expect(!names(page).contains("a"))
        func next() async throws -> [JSON] {
            page = try await guest.page(place, since: page["syncToken"].string)
            #expect(page["moreComing"] == false)
            return page.records
        }
        func move(to parent: String) async throws {
            var change = Change.forceUpdate("Item", "a", [:])
            change["record"]["parent"] = ["recordName": .string(parent)]
            expectSaved(try await owner.modify([change], zone: zone))
        }
        try await move(to: "root")
        var told = try await next()
        #expect(told.map(\.name).sorted() == ["a", "b"] && told.allSatisfy { $0["deleted"] == false }, "\(told)")
        #expect(try await guest.lookup(["b"], in: place)[0].value("title") == "b")
        try await move(to: "other")
        told = try await next()
        #expect(told.map(\.name).sorted() == ["a", "b"] && told.allSatisfy { $0["deleted"] == true }, "\(told)")
        expectFailed(try await guest.lookup(["b"], in: place)[0], "NOT_FOUND")
        // What only passed through is told nowhere.
        try await move(to: "root")
        try await move(to: "other")
        #expect(try await next().allSatisfy { $0["deleted"] == true })
        #expect(try await next().isEmpty)
    }

    @Test("Threat 46: what goes through two shares, and into one again, before a device looks is gone from it once")
    func threat46TwoShares() async throws {
        let (zone, place, _) = try await joined()
        let second = try await owner.share(root: "second", in: zone, with: [bob])
        _ = try await links.link("accept", second.share["shortGUID"].string ?? "")
        var page = try await guest.page(place)
        #expect(Set(names(page)).isSuperset(of: ["root", "child", "second"]))
        func move(to parent: String?) async throws {
            var change = Change.forceUpdate("Item", "child", [:])
            change["record"]["parent"] = parent.map { ["recordName": .string($0)] } ?? .null
            expectSaved(try await owner.modify([change], zone: zone))
        }
        for parents in [["second", nil], ["root", nil, "root", "second", "root", nil]] {
            for parent in parents { try await move(to: parent) }
            page = try await guest.page(place, since: page["syncToken"].string)
            #expect(page["moreComing"] == false)
            // Who was in both heard of it, or wrote it themselves.
            #expect(page.records.map(\.name) == ["child"] && page.records[0]["deleted"] == true, "\(page)")
        }
        try await move(to: "second")
        page = try await guest.page(place, since: page["syncToken"].string)
        #expect(page.records.map(\.name) == ["child"] && page.records[0]["deleted"] == false, "\(page)")
    }

    @Test("Who takes part in a whole zone sees and adds records anywhere in it, and not the zone's owner's others")
    func wholeZone() async throws {
        let (zone, other) = (try await owner.makeZone(), try await owner.makeZone())
        let share = expectSaved(
            try await owner.modify(
                [Change.create("Item", "one"), Shares.create("cloudkit.zoneshare", with: [bob])], zone: zone))[1]
        _ = try await links.link("accept", share["shortGUID"].string ?? "")
        expectSaved(try await guest.modify([Change.create("Item", "two")], in: place(zone)))
        #expect(names(try await guest.page(place(zone))) == ["one", "two", "cloudkit.zoneshare"])
        #expect(try await guest.page(place(other))["serverErrorCode"] == "ZONE_NOT_FOUND")
        let listed = try await guest.get("zones/list")
        #expect(listed.zones.contains { $0["zoneID"]["zoneName"].string == zone })
        #expect(!listed.zones.contains { $0["zoneID"]["zoneName"].string == other })
        // To delete the zone is to leave it.
        let left = try await guest.post(
            "zones/modify", ["operations": [["operationType": "delete", "zone": ["zoneID": place(zone)]]]])
        #expect(left.zones[0]["deleted"] == true, "\(left)")
        #expect(try await owner.find("one", zone: zone)["recordType"] == "Item")
        #expect(try await guest.page(place(zone))["serverErrorCode"] == "ZONE_NOT_FOUND")
    }

    @Test("Threats 43, 47: an asset's address serves a participant until they are removed")
    func assetOfRemoved() async throws {
        let (zone, place, share) = try await joined()
        var file = Change.forceUpdate(
            "Item", "child",
            ["file": Fields.typed("ASSETID", try await owner.upload(Array("secret".utf8), "Item", "child", zone: zone))]
        )
        file["record"]["parent"] = ["recordName": "root"]
        expectSaved(try await owner.modify([file], zone: zone))
        let seen = try await guest.lookup(["child"], in: place)[0]
        let url = try #require(seen.value("file")["downloadURL"].string)
        let bytes = try await Database.transfer("GET", url)
        #expect(bytes.status == 200)
        #expect(String(decoding: bytes.body, as: UTF8.self) == "secret")
        let current = try await owner.find(share.name, zone: zone)
        expectSaved(try await owner.modify([Shares.update(current, ["participants": []])], zone: zone))
        let refused = try await Database.transfer("GET", url)
        #expect(refused.status == 404, "\(refused.status)")
        #expect(!String(decoding: refused.body, as: UTF8.self).contains("secret"))
    }

    @Test("Who subscribes to the shared database is told of changes by others, and of nothing outside of the share")
    func pushes() async throws {
        let (zone, place, _) = try await joined()
        try await guest.subscribe(Watch.database("shared"))
        let device = try await guest.device()
        expectSaved(try await owner.modify([Change.create("Item", "unseen")], zone: zone))
        async let polled = device.poll()
        expectSaved(try await owner.modify([Shares.child("news", of: "root")], zone: zone))
        let met = try await polled.json["ck"]["met"]
        #expect(met["zid"].string == zone)
        #expect(met["zoid"] == place["ownerRecordName"])
        #expect(met["dbs"] == 2)
    }
}
