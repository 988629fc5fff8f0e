import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// The list of a person's shares, without a browser.
@Suite struct ShareListTests {
    private let bob = "bob@example.org"

    private func list(_ browser: SharePlace.Browser) async throws -> RawResponse { try await browser.open("") }

    @Test func whatIShareAndWhatOthersShareWithMe() async throws {
        let place = try await SharePlace()
        let trip = try await place.share("Trip <b>", with: [SharePlace.invitation(bob, .readWrite)]).shortGUID
        let open = try await place.share("Recipes", open: .readOnly).shortGUID
        let closed = try await place.share("Secret plan").shortGUID
        let (owner, guest) = (try await place.browser(SharePlace.owner), try await place.browser(bob))
        let own = try await list(owner)
        #expect(own.status == 200 && own["Cache-Control"] == "no-store")
        for text in [
            "href=\"/share/\(trip)\"", "Trip &lt;b&gt;", "1 invited", "href=\"/share/\(open)\"", "Recipes",
            "anyone with the link can view it", "href=\"/share/\(closed)\"", "Secret plan", TestCloud.container,
            "You have not joined a share yet.",
        ] {
            #expect(own.body.contains(text), "\(text)")
        }
        // Who was invited has not come in, and may.
        let invited = try await list(guest).body
        #expect(
            invited.contains("Invitations") && invited.contains("Trip &lt;b&gt;")
                && invited.contains("You have not joined a share yet."))
        #expect(invited.contains("action=\"/share/\(trip)\"") && !invited.contains("Recipes"))
        for guid in [trip, open] { #expect(try await guest.submit(guid, "accept").status == 303) }
        #expect(try await list(owner).body.contains("Shared with 1 person"))
        let others = try await list(guest).body
        #expect(!others.contains("Invitations"))
        for text in [
            "href=\"/share/\(trip)\"", "Trip &lt;b&gt;", "Ada Lovelace", "you can view and change it", "Recipes",
        ] {
            #expect(others.contains(text), "\(text)")
        }
        #expect(
            others.contains("You are not sharing anything yet.") && !others.contains("Secret")
                && !others.contains(closed))
        // Whoever left, or what was stopped, is not in it.
        #expect(try await guest.submit(open, "leave").status == 303)
        #expect(try await owner.submit(trip, "stop").status == 303)
        let after = try await list(guest).body
        #expect(!after.contains("Trip") && !after.contains("Recipes"))
        #expect(!(try await list(owner).body.contains("Trip")))
        await place.cloud.stop()
    }

    @Test func nobodyElseSeesAnything() async throws {
        let place = try await SharePlace()
        let guid = try await place.share("Secret plan", open: .readOnly).shortGUID
        for browser in [place.stranger, try await place.browser("eve@example.org")] {
            let page = try await list(browser)
            #expect(page.status == 200 && !page.body.contains("Secret") && !page.body.contains(guid))
        }
        #expect(try await list(place.stranger).body.contains("id=\"password\""))
        let client = place.cloud.client
        for (headers, body, status) in [
            ([], "action=sign-in&email=\(bob)&password=wrong", 401), ([], "action=accept", 400),
            ([("Sec-Fetch-Site", "cross-site")], "action=sign-in&email=\(bob)&password=x", 403),
        ] {
            let refused = try await client.send("POST", "/share", headers: [SharePlace.form] + headers, body: body)
            #expect(refused.status == status && refused["Set-Cookie"] == nil, "\(body)")
        }
        let password = PercentEncoding.encode(TestCloud.password)
        let done = try await client.send(
            "POST", "/share", headers: [SharePlace.form], body: "action=sign-in&email=\(bob)&password=\(password)")
        #expect(done.status == 303 && done["Location"] == "/share" && done["Set-Cookie"] != nil)
        #expect(try await client.send("DELETE", "/share").status == 405)
        await place.cloud.stop()
    }

    /// Threat 43: an invitation is for the account that has the address, in whatever app; another account learns nothing of it.
    @Test func invitationsAreForTheAddressThatIsInvited() async throws {
        let place = try await SharePlace()
        let guid = try await place.share("Secret plan", with: [SharePlace.invitation(bob, .readWrite)]).shortGUID
        for browser in [place.stranger, try await place.browser("eve@example.org")] {
            let page = try await list(browser).body
            #expect(!page.contains("Secret") && !page.contains(guid) && !page.contains("Invitations"))
        }
        // Bob has never used the app, and is no user of it for having looked.
        let guest = try await place.browser(bob)
        for _ in 0..<2 { #expect(try await list(guest).body.contains("Secret plan")) }
        #expect(try await guest.submit(guid, "decline").status == 303)
        #expect(!(try await list(guest).body.contains("Secret plan")))
        await place.cloud.stop()
    }

    @Test func aSaveThatDoesNotSayItIsOfAShareKeepsTheOwnersName() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob, .readWrite)]).shortGUID
        let owner = try await place.caller(SharePlace.owner)
        let found = try await place.cloud.service.resolveShareLinks([ShareLinkRequest(shortGUID: guid)], as: owner)
        guard case .link(let link)? = found.first else { throw SharePlace.Failure(what: "\(found)") }
        let record = RecordInput(
            recordName: link.value.share.recordName, recordChangeTag: link.value.share.recordChangeTag,
            fields: [("cloudkit.title", FieldInput(.text("Journey")))])
        let results = try await place.cloud.service.modifyRecords(
            ModifyRecordsRequest(operations: [RecordOperation(.update, record)], zoneID: link.value.zoneID),
            in: .private, as: owner)
        guard case .saved? = results.first else { throw SharePlace.Failure(what: "\(results)") }
        let page = try await place.browser(bob).open(guid).body
        #expect(page.contains("Journey") && page.contains("<bdi>Ada Lovelace</bdi> shares this with you"))
        await place.cloud.stop()
    }

    @Test func twoHundredOfEachAreListed() async throws {
        let place = try await SharePlace()
        let (owner, guest) = (try await place.caller(SharePlace.owner), try await place.caller(bob))
        let zone = ZoneID(zoneName: "Many")
        _ = try await place.cloud.service.modifyZones([ZoneOperation(.create, zone)], in: .private, as: owner)
        func add(_ range: Range<Int>) async throws {
            let operations = range.flatMap { index in
                var input = ShareInput()
                input.forRecord = ShareInput.Root(recordName: "root\(index)")
                input.publicPermission = .readOnly
                return [
                    RecordOperation(.create, RecordInput(recordName: "root\(index)", recordType: "Folder")),
                    RecordOperation(
                        .create,
                        RecordInput(
                            recordName: "share\(index)", recordType: SystemRecordType.share, share: Boxed(input))),
                ]
            }
            let results = try await place.cloud.service.modifyRecords(
                ModifyRecordsRequest(operations: operations, zoneID: zone), in: .private, as: owner)
            let links = results.compactMap { result -> ShareLinkRequest? in
                guard case .saved(let record) = result, record.recordType == SystemRecordType.share else { return nil }
                return record.shortGUID.map { ShareLinkRequest(shortGUID: $0) }
            }
            let accepted = try await place.cloud.service.acceptShareLinks(links, as: guest)
            #expect(accepted.count == range.count)
        }
        try await add(0..<100)
        try await add(100..<ShareLimits.sharesPerOverview)
        let browsers = [try await place.browser(SharePlace.owner), try await place.browser(bob)]
        for (count, isCut) in [(ShareLimits.sharesPerOverview, false), (ShareLimits.sharesPerOverview + 1, true)] {
            if isCut { try await add(ShareLimits.sharesPerOverview..<count) }
            for browser in browsers {
                let page = try await list(browser).body
                #expect(page.components(separatedBy: "href=\"/share/").count - 1 == ShareLimits.sharesPerOverview)
                #expect(page.contains("Only the first") == isCut)
            }
        }
        await place.cloud.stop()
    }
}
