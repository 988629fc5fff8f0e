import Foundation
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Making an account by a link that is mailed, without a browser.
@Suite struct SignUpTests {
    private let dora = "dora@example.org"

    private func place(_ postman: Postman, _ policy: SignUpPolicy) async throws -> SharePlace {
        try await SharePlace(mail: MailService(channel: postman), signUp: policy)
    }

    private func ask(_ place: SharePlace, _ guid: String, _ email: String) async throws -> RawResponse {
        try await place.stranger.submit(guid, "sign-up", [("email", email)], token: "-")
    }

    private func ticket(_ postman: Postman) -> String? {
        if case .signUp(let letter)? = postman.letters.last { letter.ticket } else { nil }
    }

    private func make(
        _ place: SharePlace, _ ticket: String, password: String = TestCloud.password, again: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let fields = [
            ("ticket", ticket), ("given", "Dora"), ("family", ""), ("new", password), ("again", again ?? password),
        ]
        let body = fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return try await place.cloud.client.send("POST", "/sign-up", headers: [SharePlace.form] + headers, body: body)
    }

    @Test func theInvitedMakeAnAccountAndComeIn() async throws {
        let postman = Postman()
        let place = try await place(postman, .invited)
        let guid = try await place.share(with: [SharePlace.invitation(dora)]).shortGUID
        #expect(try await place.stranger.open(guid).body.contains("value=\"sign-up\""))
        let asked = try await ask(place, guid, " Dora@example.org")
        #expect(asked.status == 200 && asked.body.contains("Check your e-mail"))
        try await place.settled { $0.delivered == 1 }
        let ticket = try #require(self.ticket(postman))
        let page = try await place.cloud.client.send("GET", "/sign-up?ticket=\(ticket)")
        #expect(page.status == 200 && page.body.contains(dora))
        for (password, again, text) in [
            ("short", "short", "8 characters"), ("long enough", "long enoug", "do not match"),
        ] {
            let refused = try await make(place, ticket, password: password, again: again)
            #expect(refused.status == 400 && refused.body.contains(text) && refused["Set-Cookie"] == nil)
            #expect(!refused.body.contains("value=\"\(password)"))
        }
        let made = try await make(place, ticket)
        #expect(made.status == 303 && made["Location"] == "/share/\(guid)")
        let cookie = try #require(
            made["Set-Cookie"]?.split(separator: "=").dropFirst().first?.split(separator: ";").first)
        let browser = SharePlace.Browser(client: place.cloud.client, session: String(cookie))
        #expect(try await browser.submit(guid, "accept").status == 303)
        // The link is good once.
        #expect(try await make(place, ticket, password: "another password").status != 303)
        #expect(try await place.browser(dora).open(guid).status == 200)
        await place.cloud.stop()
        #expect(!(await place.cloud.log.text().contains(ticket)))
    }

    /// Threat 19: nobody has an account with the address of somebody else, so nobody takes an invitation that is not theirs.
    @Test func onlyWhoGetsTheMailMakesTheAccount() async throws {
        let postman = Postman()
        let place = try await place(postman, .open)
        let guid = try await place.share(with: [SharePlace.invitation(dora)]).shortGUID
        _ = try await ask(place, guid, dora)
        try await place.settled { $0.delivered == 1 }
        let ticket = try #require(self.ticket(postman))
        var damaged = Array(ticket)
        damaged[damaged.count - 20] = damaged[damaged.count - 20] == "0" ? "1" : "0"
        for wrong in ["", "00", String(damaged), String(ticket.dropLast(2)), String(repeating: "0", count: 4_000)] {
            #expect(try await make(place, wrong).status == 400)
        }
        for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")]] {
            #expect(try await make(place, ticket, headers: headers).status == 403)
        }
        place.cloud.advance(minutes: MailLimits.signUpLifetime / 60_000)
        #expect(try await make(place, ticket).status == 400)
        #expect(try await place.cloud.client.send("GET", "/sign-up?ticket=\(ticket)").status == 400)
        #expect(!(try await place.cloud.service.listAccounts().contains(dora)))
        await place.cloud.stop()
    }

    /// Nobody learns who has an account, or who is invited.
    @Test func theAnswerIsTheSameForEverybody() async throws {
        let postman = Postman()
        let place = try await place(postman, .invited)
        let guid = try await place.share(with: [SharePlace.invitation(dora), ShareParticipantInput()])
        let open = try await place.share(open: .readOnly).shortGUID
        var pages: Set<String> = []
        for (link, email, gets) in [
            (guid.shortGUID, dora, true), (guid.shortGUID, "nobody@example.org", false),
            (guid.oneTime[0], "some@example.org", true), (open, "any@example.org", true),
            ("nothing", "nobody@example.org", false),
        ] {
            let before = place.cloud.service.mailStatistics()
            pages.insert(try await ask(place, link, email).body)
            try await place.settled { $0.delivered + $0.withdrawn > before.delivered + before.withdrawn }
            #expect((place.cloud.service.mailStatistics().delivered > before.delivered) == gets, "\(email)")
            if gets { #expect(ticket(postman) != nil) }
        }
        // Who has an account is told so, by mail.
        pages.insert(try await ask(place, "nothing", SharePlace.owner).body)
        try await place.settled { $0.delivered == 4 }
        #expect(ticket(postman) == nil)
        #expect(pages.count == 1)
        await place.cloud.stop()
    }

    @Test func isOfferedWhereTheServerSaysSo() async throws {
        for (policy, onShares, onAccount) in [
            (SignUpPolicy.closed, false, false), (.invited, true, false), (.open, true, true),
        ] {
            let place = try await place(Postman(), policy)
            let guid = try await place.share(open: .readOnly).shortGUID
            #expect(try await place.stranger.open(guid).body.contains("id=\"sign-up\"") == onShares)
            let account = try await place.cloud.client.send("GET", "/account")
            #expect(account.body.contains("id=\"sign-up\"") == onAccount)
            #expect(try await ask(place, guid, dora).status == (onShares ? 200 : 403))
            await place.cloud.stop()
        }
        let place = try await SharePlace(signUp: .open)
        #expect(!(try await place.stranger.open("x").body.contains("id=\"sign-up\"")))
        await place.cloud.stop()
    }

    @Test func oneNetworkAddressCausesSoManyMails() async throws {
        let postman = Postman()
        let place = try await place(postman, .open)
        for number in 0..<MailLimits.signUpsPerNetworkAddressAndDay {
            #expect(try await ask(place, "x", "a\(number)@example.org").status == 200)
        }
        #expect(try await ask(place, "x", "last@example.org").status == 429)
        for bad in ["", "a", "a b@example.org"] { #expect(try await ask(place, "x", bad).status == 400) }
        try await place.settled { $0.delivered == UInt64(MailLimits.signUpsPerNetworkAddressAndDay) }
        await place.cloud.stop()
    }
}
