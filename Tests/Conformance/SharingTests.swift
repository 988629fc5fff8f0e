import TestSupport
import Testing

/// Shares of hierarchies and of zones: how they are made, joined, used and ended.
@Suite("Sharing")
struct SharingTests {
    let tenant: Tenant
    let owner: Database
    let links: Database
    let guest: Database

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        owner = tenant.privateDatabase
        links = tenant.bobsPublicDatabase
        guest = tenant.database("shared", tenant.credential(of: tenant.bob))
    }

    private func place(_ zone: String) -> JSON {
        ["zoneName": .string(zone), "ownerRecordName": .string(tenant.alice.userRecordName)]
    }

    private var bob: JSON { Shares.invite(tenant.bob.email) }

    /// A zone with a root, shared with Bob, who has accepted, and a child.
    private func joined(
        _ permission: String = "READ_WRITE"
    ) async throws -> (zone: String, place: JSON, share: JSON) {
        let zone = try await owner.makeZone()
        let (_, share) = try await owner.share(
            root: "root", in: zone, with: [Shares.invite(tenant.bob.email, permission)])
        expectSaved(try await owner.modify([Shares.child("child", of: "root")], zone: zone))
        let accepted = try await links.link("accept", share["shortGUID"].string ?? "")
        #expect(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
        return (zone, place(zone), share)
    }

    private func names(_ page: JSON) -> Set<String> { Set(page.records.map(\.name)) }

    // MARK: - Making shares

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

    // MARK: - Links

    @Test("Cases 129, 131: links are resolved in the order asked, with all that a client shows before it accepts")
    func case131() async throws {
        let zone = try await owner.makeZone()
        let (root, share) = try await owner.share(root: "root", in: zone, with: [bob])
        let guid = share["shortGUID"].string ?? ""
        let answer = try await links.post(
            "records/resolve",
            ["shortGUIDs": [["value": "nothing"], ["value": .string(guid), "shouldFetchRootRecord": true]]])
        expectFailed(answer.json["results"][0], "NOT_FOUND")
        let link = answer.json["results"][1]
        #expect(link["shortGUID"]["value"].string == guid)
        #expect(link["containerIdentifier"].string == tenant.container)
        #expect(link["environment"] == "DEVELOPMENT")
        #expect(link["databaseScope"] == "SHARED")
        #expect(link["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName)
        #expect(link["rootRecordName"] == "root")
        #expect(link["rootRecord"].value("title") == root.value("title"))
        #expect(link["share"]["recordName"] == share["recordName"])
        #expect(link["participantType"] == "USER")
        #expect(link["participantStatus"] == "INVITED")
        #expect(link["participantPermission"] == "READ_WRITE")
        #expect(link["ownerIdentity"]["userRecordName"].string == tenant.alice.userRecordName)
        let own = try await tenant.publicDatabase.link("resolve", guid)
        #expect(own["databaseScope"] == "PRIVATE")
        #expect(own["participantType"] == "OWNER")
        #expect(own["rootRecord"] == .absent)
        let anonymous = try await tenant.anonymousDatabase.post(
            "records/resolve", ["shortGUIDs": [["value": .string(guid)]]])
        expectRefused(anonymous, 421, "AUTHENTICATION_REQUIRED")
        let key = try await tenant.database("public", tenant.key).post(
            "records/accept", ["shortGUIDs": [["value": .string(guid)]]])
        expectRefused(key, 403, "ACCESS_DENIED")
    }

    @Test("Threat 43: only who was invited gets in, twice is once, and nobody after the end")
    func threat43() async throws {
        let zone = try await owner.makeZone()
        var (_, share) = try await owner.share(root: "root", in: zone)
        let guid = share["shortGUID"].string ?? ""
        expectFailed(try await links.link("resolve", guid), "ACCESS_DENIED")
        expectFailed(try await links.link("accept", guid), "ACCESS_DENIED")
        expectFailed(try await guest.lookup(["root"], in: place(zone))[0], "ZONE_NOT_FOUND")
        share =
            expectSaved(
                try await owner.modify([Shares.update(share, ["participants": [bob]])], zone: zone))[0]
        for _ in 0..<2 {
            #expect(try await links.link("accept", guid)["participantStatus"] == "ACCEPTED")
        }
        #expect(try await guest.lookup(["root"], in: place(zone))[0].value("title") == "Root")
        share = try await owner.find(share.name, zone: zone)
        #expect(share["participants"].array?.count == 2)
        expectSaved(try await owner.modify([Shares.update(share, ["participants": []])], zone: zone))
        expectFailed(try await guest.lookup(["root"], in: place(zone))[0], "ZONE_NOT_FOUND")
        expectFailed(try await links.link("accept", guid), "ACCESS_DENIED")
        expectDeleted(try await owner.modify([Change.forceDelete(share.name)], zone: zone).records[0], share.name)
        expectFailed(try await links.link("accept", guid), "NOT_FOUND")
    }

    @Test("A share that is open to everybody takes in whoever has the link, until it is closed")
    func publicLink() async throws {
        let zone = try await owner.makeZone()
        var (_, share) = try await owner.share(root: "root", in: zone, open: "READ_ONLY")
        let guid = share["shortGUID"].string ?? ""
        let link = try await links.link("accept", guid)
        #expect(link["participantType"] == "PUBLIC_USER")
        #expect(link["participantPermission"] == "READ_ONLY")
        #expect(try await guest.lookup(["root"], in: place(zone))[0].value("title") == "Root")
        expectFailed(
            try await guest.modify([Shares.child("c", of: "root")], in: place(zone)).records[0], "ACCESS_DENIED")
        share = try await owner.find(share.name, zone: zone)
        share =
            expectSaved(
                try await owner.modify([Shares.update(share, ["publicPermission": "READ_WRITE"])], zone: zone))[0]
        expectSaved(try await guest.modify([Shares.child("c", of: "root")], in: place(zone)))
        expectSaved(try await owner.modify([Shares.update(share, ["publicPermission": "NONE"])], zone: zone))
        expectFailed(try await guest.lookup(["root"], in: place(zone))[0], "ZONE_NOT_FOUND")
    }

    @Test("A one-time link lets one person in, and nobody after them")
    func oneTimeLink() async throws {
        let zone = try await owner.makeZone()
        let (_, share) = try await owner.share(
            root: "root", in: zone, with: [["type": "USER", "permission": "READ_ONLY"]])
        let once = try #require(share["participants"][1]["oneTimeShortGUID"].string)
        #expect(try await links.link("accept", once)["participantStatus"] == "ACCEPTED")
        #expect(try await guest.lookup(["root"], in: place(zone))[0].value("title") == "Root")
        let other = try await Tenant.person("carol", in: tenant.cloud, tenant.container)
        let carol = tenant.database("public", tenant.credential(of: other))
        expectFailed(try await carol.link("accept", once), "ACCESS_DENIED")
        let found = try await owner.find(share.name, zone: zone)
        #expect(found["participants"][1]["oneTimeShortGUID"] == .absent)
        #expect(
            found["participants"][1]["userIdentity"]["userRecordName"].string == tenant.bob.userRecordName)
    }

    @Test("Requests for access tell nothing; the owner approves, denies and blocks")
    func accessRequests() async throws {
        let zone = try await owner.makeZone()
        var (_, share) = try await owner.share(root: "root", in: zone)
        let guid = share["shortGUID"].string ?? ""
        let closed = try await links.link("requestAccess", guid)
        let nothing = try await links.link("requestAccess", "nothing")
        #expect(closed["serverErrorCode"] == .absent && nothing["serverErrorCode"] == .absent)
        #expect(try await owner.find(share.name, zone: zone)["requesters"] == [])
        share =
            expectSaved(
                try await owner.modify([Shares.update(share, ["denyAccessRequests": false])], zone: zone))[0]
        _ = try await links.link("requestAccess", guid)
        share = try await owner.find(share.name, zone: zone)
        #expect(share["requesters"][0]["userRecordName"].string == tenant.bob.userRecordName)
        let approved: JSON = [
            "type": "USER", "permission": "READ_ONLY",
            "userIdentity": ["lookupInfo": ["userRecordName": .string(tenant.bob.userRecordName)]],
        ]
        share =
            expectSaved(
                try await owner.modify([Shares.update(share, ["participants": [approved]])], zone: zone))[0]
        #expect(share["requesters"] == [])
        #expect(share["participants"][1]["isApprovedRequester"] == true)
        #expect(try await links.link("accept", guid)["participantStatus"] == "ACCEPTED")
        share = try await owner.find(share.name, zone: zone)
        let blocked: JSON = ["userRecordName": .string(tenant.bob.userRecordName)]
        share =
            expectSaved(
                try await owner.modify([Shares.update(share, ["blocked": [blocked]])], zone: zone))[0]
        #expect(share["participants"].array?.count == 1)
        expectFailed(try await guest.lookup(["root"], in: place(zone))[0], "ZONE_NOT_FOUND")
        expectFailed(try await links.link("accept", guid), "ACCESS_DENIED")
        _ = try await links.link("requestAccess", guid)
        #expect(try await owner.find(share.name, zone: zone)["requesters"] == [])
    }

    // MARK: - Taking part

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

    @Test("Declining takes an invitation back, or a participant out; what nobody invited to cannot be declined")
    func declining() async throws {
        let zone = try await owner.makeZone()
        let (_, share) = try await owner.share(root: "root", in: zone, with: [bob])
        let guid = share["shortGUID"].string ?? ""
        #expect(try await links.link("decline", guid)["participantStatus"] == "REMOVED")
        #expect(try await links.link("accept", guid)["serverErrorCode"] == "ACCESS_DENIED")
        #expect(try await links.link("decline", guid)["serverErrorCode"] == "ACCESS_DENIED")
        let (_, _, joined) = try await joined()
        #expect(try await links.link("decline", joined["shortGUID"].string ?? "")["participantStatus"] == "REMOVED")
        let (_, open) = try await owner.share(root: "open", in: zone, open: "READ_ONLY")
        #expect(try await links.link("decline", open["shortGUID"].string ?? "")["serverErrorCode"] == "BAD_REQUEST")
        #expect(try await links.link("decline", "nothing")["serverErrorCode"] == "NOT_FOUND")
        for (action, body) in [
            ("decline", ["shortGUIDs": [["value": .string(guid)]]]),
            ("invite", ["shortGUID": .string(guid), "participantIds": []]),
        ] as [(String, JSON)] {
            expectRefused(
                try await tenant.anonymousDatabase.post("records/\(action)", body), 421, "AUTHENTICATION_REQUIRED")
            let server = try await tenant.database("public", tenant.key).post("records/\(action)", body)
            expectRefused(server, 403, "ACCESS_DENIED")
        }
        let own = try await tenant.publicDatabase.link("decline", open["shortGUID"].string ?? "")
        #expect(own["serverErrorCode"] == "BAD_REQUEST")
    }
}
