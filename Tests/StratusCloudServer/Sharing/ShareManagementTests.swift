import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// The page on which people say who takes part in a share, without a browser.
@Suite struct ShareManagementTests {
    private let bob = "bob@example.org"
    private let eve = "eve@example.org"

    /// The value of a participant's form, by what the list calls them.
    private func participant(_ label: String, in page: String) throws -> String {
        let start = try #require(page.range(of: "<strong><bdi>\(label)</bdi></strong>"))
        return try #require(
            SharePlace.value(after: "name=\"participant\" value=\"", in: String(page[start.upperBound...])))
    }

    @Test func invitesChangesAndRemoves() async throws {
        let place = try await SharePlace()
        let guid = try await place.share().shortGUID
        let owner = try await place.browser(SharePlace.owner)
        let guest = try await place.browser(bob)
        #expect(try await owner.open(guid).body.contains("You share this"))
        let invited = try await owner.submit(
            guid, "invite", [("email", " BOB@example.org"), ("permission", "READ_ONLY"), ("role", "USER")])
        #expect(invited["Location"] == "/share/\(guid)?done=invited")
        #expect(try await guest.submit(guid, "accept").status == 303)
        #expect(try await guest.open(guid).body.contains("view it"))
        let id = try participant(bob, in: try await owner.open(guid).body)
        let changed = try await owner.submit(
            guid, "change", [("participant", id), ("permission", "READ_WRITE"), ("role", "ADMINISTRATOR")])
        #expect(changed.status == 303)
        #expect(try await guest.open(guid).body.contains("you are an administrator"))
        #expect(try await owner.submit(guid, "remove", [("participant", id)]).status == 303)
        #expect(try await guest.open(guid).status == 403)
        await place.cloud.stop()
    }

    @Test func refusalsAreSaidOnThePageAsItIs() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let owner = try await place.browser(SharePlace.owner)
        for (action, fields, status, text) in [
            ("invite", [("email", "bob@example.org"), ("permission", "READ_ONLY")], 400, "has an invitation"),
            ("invite", [("email", ""), ("permission", "READ_ONLY")], 400, "form is incomplete"),
            ("invite", [("email", String(repeating: "x", count: 255)), ("permission", "READ_ONLY")], 400, "254 bytes"),
            ("invite", [("email", "a@b"), ("permission", "NONE")], 400, "form is incomplete"),
            (
                "invite", [("email", "a@b"), ("permission", "READ_ONLY"), ("role", "OWNER")], 400,
                "form is incomplete"
            ),
            ("remove", [("participant", "nobody")], 400, "no participant"),
            ("deny", [("user", "_nobody")], 400, "has no such person"),
            ("block", [("user", "_nobody")], 400, "can be blocked"),
            ("unblock", [("user", "_nobody")], 400, "has no such person"), ("leave", [], 400, "owner of a share"),
            ("anything", [], 400, "form is incomplete"),
        ] {
            let response = try await owner.submit(guid, action, fields)
            #expect(response.status == status && response.body.contains(text), "\(action) \(fields) \(response.status)")
            #expect(response.body.contains("You share this"))
        }
        await place.cloud.stop()
    }

    @Test func opensAndClosesTheLink() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let owner = try await place.browser(SharePlace.owner)
        let guest = try await place.browser(eve)
        #expect(try await owner.submit(guid, "link", [("public", "READ_WRITE"), ("requests", "no")]).status == 303)
        #expect(try await guest.submit(guid, "accept").status == 303)
        let page = try await owner.open(guid).body
        #expect(page.contains("Joined by link") && !page.contains(bob))
        #expect(try await owner.submit(guid, "link", [("public", "NONE"), ("requests", "yes")]).status == 303)
        #expect(try await guest.open(guid).body.contains("value=\"ask\""))
        #expect(try await guest.submit(guid, "ask").status == 303)
        let name = try #require(SharePlace.value(after: "name=\"user\" value=\"", in: try await owner.open(guid).body))
        let approved = try await owner.submit(guid, "approve", [("user", name), ("permission", "READ_ONLY")])
        #expect(approved["Location"] == "/share/\(guid)?done=approved")
        #expect(try await guest.submit(guid, "accept").status == 303)
        await place.cloud.stop()
    }

    @Test func makesOneTimeLinksAndTakesThemBack() async throws {
        let place = try await SharePlace()
        let guid = try await place.share().shortGUID
        let owner = try await place.browser(SharePlace.owner)
        #expect(try await owner.submit(guid, "one-time", [("permission", "READ_ONLY")]).status == 303)
        let page = try await owner.open(guid).body
        let section = try #require(page.range(of: "id=\"one-time-0\"")).upperBound
        let link = try #require(page[section...].range(of: "/share/")).upperBound
        let oneTime = String(page[link...].prefix { $0.isLetter || $0.isNumber })
        let guest = try await place.browser(eve)
        #expect(try await guest.open(oneTime).status == 200)
        let id = try #require(SharePlace.value(after: "name=\"participant\" value=\"", in: String(page[section...])))
        #expect(try await owner.submit(guid, "remove", [("participant", id)]).status == 303)
        #expect(try await guest.open(oneTime).status == 404)
        await place.cloud.stop()
    }

    /// Threat 43: what only owner and administrators may do is refused to everybody else, and they see no more than is theirs.
    @Test func participantsManageNothing() async throws {
        let place = try await SharePlace()
        let made = try await place.share(
            with: [SharePlace.invitation(bob, .readWrite), SharePlace.invitation(eve), ShareParticipantInput()])
        let guest = try await place.browser(bob)
        #expect(try await guest.submit(made.shortGUID, "accept").status == 303)
        let page = try await guest.open(made.shortGUID).body
        #expect(!page.contains(eve) && !page.contains(made.oneTime[0]) && !page.contains("name=\"participant\""))
        let stranger = try await place.browser(eve)
        for (action, fields) in [
            ("invite", [("email", "x@example.org"), ("permission", "READ_WRITE")]),
            ("one-time", [("permission", "READ_WRITE")]), ("link", [("public", "READ_WRITE"), ("requests", "yes")]),
            ("block", [("user", "_" + String(repeating: "a", count: 32))]), ("stop", []),
        ] {
            for browser in [guest, stranger] {
                let status = try await browser.submit(made.shortGUID, action, fields).status
                // To who has not come in, the zone is not there.
                #expect(status == 403 || status == 404 && browser.session == stranger.session, "\(action) \(status)")
            }
        }
        let owner = try await place.browser(SharePlace.owner).open(made.shortGUID).body
        #expect(!owner.contains("x@example.org") && owner.contains("value=\"NONE\" selected"))
        await place.cloud.stop()
    }

    @Test func administratorsManageButForEachOther() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(
            with: [SharePlace.invitation(bob, .readWrite, .administrator), SharePlace.invitation(eve)]
        ).shortGUID
        let admin = try await place.browser(bob)
        #expect(try await admin.submit(guid, "accept").status == 303)
        let page = try await admin.open(guid).body
        #expect(
            page.contains("you are an administrator") && page.contains(eve) && !page.contains("value=\"ADMINISTRATOR\"")
        )
        #expect(page.contains("value=\"leave\"") && !page.contains("value=\"stop\""))
        let id = try participant(eve, in: page)
        #expect(
            try await admin.submit(guid, "change", [("participant", id), ("permission", "READ_WRITE")]).status == 303)
        let refused = try await admin.submit(
            guid, "change", [("participant", id), ("permission", "READ_WRITE"), ("role", "ADMINISTRATOR")])
        #expect(refused.status == 403 && refused.body.contains("Only the owner"))
        #expect(try await admin.submit(guid, "leave").status == 303)
        await place.cloud.stop()
    }
}
