import Foundation
import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import Testing

@testable import StratusCloudServer

/// The page that a share link opens, without a browser.
@Suite struct InvitationPageTests {
    private let bob = "bob@example.org"
    private let eve = "eve@example.org"

    /// Threat 43: nobody learns from a link alone what it leads to, or whether it leads anywhere.
    @Test func beforeTheSignInAllLinksAreAlike() async throws {
        let place = try await SharePlace()
        let closed = try await place.share("Secret plan", with: [SharePlace.invitation(bob), ShareParticipantInput()])
        let open = try await place.share("Secret plan", open: .readWrite)
        let stopped = try await place.share("Secret plan")
        let owner = try await place.browser(SharePlace.owner)
        #expect(try await owner.submit(stopped.shortGUID, "stop").status == 303)
        var pages: Set<String> = []
        for guid in [closed.shortGUID, closed.oneTime[0], open.shortGUID, stopped.shortGUID, "nothing"] {
            let page = try await place.stranger.open(guid)
            #expect(page.status == 200)
            #expect(!page.body.contains("Secret") && !page.body.contains("Ada") && !page.body.contains("iCloud."))
            pages.insert(page.body.replacingOccurrences(of: guid, with: "GUID"))
            let refused = try await place.stranger.submit(guid, "accept", token: "00")
            #expect(refused.status == 401)
        }
        #expect(pages.count == 1)
        await place.cloud.stop()
    }

    @Test func linksToNothingAndStoppedSharesAreAlike() async throws {
        let place = try await SharePlace()
        let stopped = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let owner = try await place.browser(SharePlace.owner)
        _ = try await owner.submit(stopped, "stop")
        let browser = try await place.browser(bob)
        var pages: Set<String> = []
        for guid in [stopped, "0123456789012345678901", String(repeating: "x", count: 65), "%22%3E%3Cb%3E"] {
            let page = try await browser.open(guid)
            #expect(page.status == 404)
            pages.insert(page.body.replacingOccurrences(of: guid, with: "GUID"))
            #expect(try await browser.submit(guid, "accept").status == 404)
        }
        #expect(pages.count == 1)
        await place.cloud.stop()
    }

    @Test func theInvitedSeeWhatItIsAndAccept() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob, .readWrite)]).shortGUID
        let context = TestCloud.context()
        try await place.cloud.service.setAppLink(
            AppLink(url: "https://app.example/open?share={url}", command: "notes join {url}"), of: context.container)
        let browser = try await place.browser(bob)
        let page = try await browser.open(guid)
        for text in [
            "Trip", "<bdi>Ada Lovelace</bdi> shares this with you", "view and change it",
            TestCloud.container.replacing(".", with: ".<wbr>"), bob, "2026-04-01",
        ] {
            #expect(page.body.contains(text), "\(text)")
        }
        let done = try await browser.submit(guid, "accept")
        #expect(done.status == 303 && done["Location"] == "/share/\(guid)?done=accepted")
        let joined = try await browser.open(guid, query: "?done=accepted")
        #expect(joined.body.contains("You have joined."))
        let link = "http://127.0.0.1:\(place.cloud.client.port)/share/\(guid)"
        #expect(joined.body.contains("https://app.example/open?share=\(PercentEncoding.encode(link))"))
        #expect(joined.body.contains("notes join \(link)"))
        // Again changes nothing, and takes nobody back.
        #expect(try await browser.submit(guid, "accept").status == 303)
        let left = try await browser.submit(guid, "leave")
        #expect(left["Location"] == "/share/\(guid)?done=left")
        #expect(try await browser.open(guid, query: "?done=left").body.contains("You left."))
        #expect(try await browser.open(guid).status == 403)
        #expect(try await browser.submit(guid, "accept").status == 403)
        await place.cloud.stop()
    }

    @Test func lookingMakesNobodyAUser() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let browser = try await place.browser(bob)
        #expect(try await browser.open(guid).status == 200)
        let session = try #require(browser.session)
        let holder = try #require(try await place.cloud.service.accountHolder(session: session))
        #expect(try await place.cloud.service.accountOverview(for: holder).apps.isEmpty)
        _ = try await browser.submit(guid, "accept")
        #expect(try await place.cloud.service.accountOverview(for: holder).apps.count == 1)
        await place.cloud.stop()
    }

    @Test func whoDeclinesIsNoLongerInvited() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let browser = try await place.browser(bob)
        #expect(try await browser.submit(guid, "decline")["Location"] == "/share/\(guid)?done=declined")
        #expect(try await browser.open(guid, query: "?done=declined").body.contains("You declined."))
        #expect(try await browser.open(guid).body.contains("You are not invited"))
        let owner = try await place.browser(SharePlace.owner).open(guid)
        #expect(!owner.body.contains(bob))
        await place.cloud.stop()
    }

    /// Threat 43, and the end of invitations: one that is 90 days old lets nobody in.
    @Test func invitationsEnd() async throws {
        let place = try await SharePlace()
        let made = try await place.share(with: [SharePlace.invitation(bob), ShareParticipantInput()])
        let days = ShareLimits.invitationLifetime / 86_400_000
        place.cloud.advance(minutes: days * 24 * 60 - 1)
        #expect(try await place.browser(bob).open(made.shortGUID).status == 200)
        #expect(try await place.browser(eve).open(made.oneTime[0]).status == 200)
        place.cloud.advance(minutes: 1)
        for (person, guid) in [(bob, made.shortGUID), (eve, made.oneTime[0])] {
            let browser = try await place.browser(person)
            let page = try await browser.open(guid)
            #expect(page.status == 403 && page.body.contains("This invitation has expired"))
            #expect(!page.body.contains("Trip") && !page.body.contains("Ada"))
            #expect(try await browser.submit(guid, "accept").status == 403)
        }
        await place.cloud.stop()
    }

    @Test func aOneTimeLinkLetsInOnePerson() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [ShareParticipantInput(permission: .readOnly)]).oneTime[0]
        let (bob, eve) = (try await place.browser(bob), try await place.browser(eve))
        #expect(try await bob.open(guid).body.contains("Only the first person who accepts"))
        #expect(try await eve.submit(guid, "accept").status == 303)
        #expect(try await bob.open(guid).body.contains("This link has been used"))
        #expect(try await bob.submit(guid, "accept").status == 403)
        #expect(try await eve.open(guid).status == 200)
        await place.cloud.stop()
    }

    @Test func aPublicLinkLetsInEverybodyWhoSignsIn() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(open: .readOnly).shortGUID
        let browser = try await place.browser(eve)
        let page = try await browser.open(guid)
        #expect(page.body.contains("Anyone with this link") && !page.body.contains("value=\"decline\""))
        #expect(try await browser.submit(guid, "decline").status == 400)
        #expect(try await browser.submit(guid, "accept").status == 303)
        #expect(try await browser.open(guid).body.contains("view it"))
        await place.cloud.stop()
    }

    @Test func whoIsNotInvitedAsksWhereTheShareTakesIt() async throws {
        let place = try await SharePlace()
        let closed = try await place.share("Secret plan").shortGUID
        let guid = try await place.share("Secret plan", takesRequests: true).shortGUID
        let browser = try await place.browser(eve)
        for (link, offers) in [(closed, false), (guid, true)] {
            let page = try await browser.open(link)
            #expect(page.status == 403 && page.body.contains("value=\"ask\"") == offers)
            #expect(!page.body.contains("Secret") && !page.body.contains("Ada"))
            #expect(try await browser.submit(link, "ask").status == 303)
        }
        #expect(try await browser.open(guid).body.contains("You have asked for access"))
        let owner = try await place.browser(SharePlace.owner)
        let page = try await owner.open(guid).body
        let name = try #require(SharePlace.value(after: "name=\"user\" value=\"", in: page))
        #expect(try await owner.submit(guid, "block", [("user", name)]).status == 303)
        // Who is blocked is not told so.
        #expect(try await browser.open(guid).body.contains("You are not invited"))
        #expect(!(try await browser.open(guid).body.contains("value=\"ask\"")))
        await place.cloud.stop()
    }

    /// The one that carries a link's fragment, which the pages' policy allows by its hash.
    private func hasOnlyOwnScript(_ page: String) -> Bool {
        page.components(separatedBy: "<script").count == 2 && page.contains("<script>\(LinkFragment.script)</script>")
    }

    @Test func aTitleOfTwoHundredCharacters() async throws {
        let place = try await SharePlace()
        let longest = String(repeating: "é", count: ServerLimits.shownTitle)
        let marks = "a" + String(repeating: "\u{301}", count: 100_000)
        let titles = [(longest, longest), (longest + "x", longest + "…"), (marks, "…")]
        for (title, shown) in titles.map({ ($0, $1 + "</bdi></h1>") }) {
            let guid = try await place.share(title, with: [SharePlace.invitation(bob)]).shortGUID
            let page = try await place.browser(bob).open(guid).body
            #expect(page.contains(shown) && page.utf8.count < 32_768)
        }
        await place.cloud.stop()
    }

    /// Threat 72: forms of other sites, frames, and what others wrote.
    @Test func noOtherSiteCanUseThePage() async throws {
        let place = try await SharePlace()
        let guid = try await place.share(with: [SharePlace.invitation(bob)]).shortGUID
        let browser = try await place.browser(bob)
        for page in [try await browser.open(guid), try await place.stranger.open(guid)] {
            #expect(page["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(page["X-Frame-Options"] == "DENY" && page["Cache-Control"] == "no-store")
            #expect(page["Referrer-Policy"] == "no-referrer" && hasOnlyOwnScript(page.body))
        }
        for headers in [
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.example")],
        ] {
            #expect(try await browser.submit(guid, "accept", headers: headers).status == 403)
        }
        let foreign = try await place.browser(eve).formToken(guid)
        for token in ["", "00", foreign] {
            #expect(try await browser.submit(guid, "accept", token: token).status == 403)
        }
        #expect(try await browser.open(guid).body.contains("value=\"accept\""))
        await place.cloud.stop()
        // Links open what they lead to: they are not in the log.
        #expect(!(await place.cloud.log.text().contains(guid)))
    }

    @Test func whatOthersWroteIsText() async throws {
        let place = try await SharePlace()
        let hostile = "<script>alert(1)</script>\" onload=\"x"
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let padding = [UInt8](repeating: 0, count: ServerLimits.thumbnailSize - png.count)
        let svg = Array("<svg onload=alert(1)>".utf8)
        for (picture, isShown) in [
            (png, true), (svg, false), (png + padding, true), (png + padding + [0], false),
        ] {
            let guid = try await place.share(hostile, with: [SharePlace.invitation(bob)], thumbnail: picture).shortGUID
            for person in [bob, SharePlace.owner] {
                let page = try await place.browser(person).open(guid).body
                #expect(hasOnlyOwnScript(page) && page.contains("&lt;script&gt;"))
                #expect(page.contains("<img src=\"data:image/png") == isShown)
            }
        }
        await place.cloud.stop()
    }

    @Test func theWayToTheAppIsAnAddressOrALine() async throws {
        let place = try await SharePlace([])
        let container = TestCloud.context().container
        let longest = String(repeating: "x", count: ServiceLimits.appCommandLength)
        let address = "https://a.example/"
        let longestAddress = address + String(repeating: "x", count: 2_048 - address.utf8.count)
        for link in [
            AppLink(url: "notes://join?share={url}"), AppLink(url: "https://{url}"), AppLink(command: longest),
            AppLink(url: longestAddress),
            AppLink(),
        ] {
            try await place.cloud.service.setAppLink(link, of: container)
            #expect(try await place.cloud.service.appLink(of: container) == link)
        }
        for link in [
            AppLink(url: "javascript://%0aalert(1)"), AppLink(url: "data://x"), AppLink(url: "/join"),
            AppLink(url: "https://a.example/\"onclick"), AppLink(command: longest + "x"), AppLink(command: "a\nb"),
            AppLink(url: longestAddress + "x"),
        ] {
            await #expect(throws: CloudError.self) {
                try await place.cloud.service.setAppLink(link, of: container)
            }
        }
        await place.cloud.stop()
    }
}
