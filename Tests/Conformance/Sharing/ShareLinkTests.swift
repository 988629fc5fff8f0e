import StratusTestSupport
import Testing

/// What links lead to, who comes in by them, and who does not.
@Suite("Share links")
struct ShareLinkTests: SharingPair {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant(in: try await Cloud.shared()) }

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
