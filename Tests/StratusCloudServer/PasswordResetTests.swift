import Foundation
import StratusCloudModel
import StratusCloudStore
import StratusHTTPTransport
import StratusWaiting
import Testing

@testable import StratusCloudServer
@testable import StratusCloudService

/// Choosing another password by a link that is mailed, without a browser.
@Suite struct PasswordResetTests {
    private static let new = "battery staple"

    private func place(_ postman: Postman, store: any CloudStore = MemoryStore()) async throws -> SharePlace {
        try await SharePlace(store: store, mail: MailService(channel: postman))
    }

    private func post(
        _ place: SharePlace, _ fields: [(String, String)], headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let body = fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return try await place.cloud.client.send("POST", "/password", headers: [SharePlace.form] + headers, body: body)
    }

    private func ask(_ place: SharePlace, _ email: String = TestCloud.email) async throws -> RawResponse {
        try await post(place, [("email", email)])
    }

    private func reset(
        _ place: SharePlace, _ ticket: String, _ password: String = new, again: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> RawResponse {
        try await post(
            place, [("ticket", ticket), ("new", password), ("again", again ?? password)], headers: headers)
    }

    private func tickets(_ postman: Postman) -> [String] {
        postman.letters.compactMap { if case .passwordReset(let letter) = $0 { letter.ticket } else { nil } }
    }

    private func ticket(_ place: SharePlace, _ postman: Postman) async throws -> String {
        let before = tickets(postman).count
        #expect(try await ask(place).status == 200)
        try await wait(for: "the mail") { tickets(postman).count > before }
        return try #require(tickets(postman).last)
    }

    private func signsIn(_ place: SharePlace, _ password: String) async -> Bool {
        let session = try? await place.cloud.service.beginAccountSession(
            email: TestCloud.email, password: password, source: nil)
        return session != nil
    }

    @Test func aMailedLinkChangesThePasswordOnceAndEndsAllSessions() async throws {
        let postman = Postman()
        let place = try await place(postman)
        let app = try await place.cloud.webAuthToken()
        let browser = try await place.browser(TestCloud.email)
        let spare = try await ticket(place, postman)
        let ticket = try await ticket(place, postman)
        let page = try await place.cloud.client.send("GET", "/password?ticket=\(ticket)")
        #expect(page.status == 200 && page.body.contains(TestCloud.email) && page["Referrer-Policy"] == "no-referrer")
        for (password, again, text) in [
            ("short", "short", "8 characters"), ("long enough", "long enoug", "do not match"),
        ] {
            let refused = try await reset(place, ticket, password, again: again)
            #expect(
                refused.status == 400 && refused.body.contains(text) && !refused.body.contains("value=\"\(password)"))
        }
        for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.example")]] {
            #expect(try await reset(place, ticket, headers: headers).status == 403)
        }
        #expect(await signsIn(place, TestCloud.password))
        let done = try await reset(place, ticket)
        #expect(done.status == 303 && done["Location"] == "/account?done=password-reset" && done["Set-Cookie"] == nil)
        #expect(await !signsIn(place, TestCloud.password))
        #expect(await signsIn(place, Self.new))
        #expect(try await place.cloud.call("GET", "public/users/caller", token: app).status == 421)
        #expect(try await browser.open("x").body.contains("name=\"password\""))
        // Neither it nor another link works again.
        for void in [ticket, spare] { #expect(try await reset(place, void, "third password").status == 400) }
        #expect(await signsIn(place, Self.new))
        // The owner hears of it.
        try await wait(for: "the notice") {
            postman.letters.contains {
                if case .passwordNotice(let notice) = $0 { notice.address == TestCloud.email } else { false }
            }
        }
        await place.cloud.stop()
        #expect(!(await place.cloud.log.text().contains(ticket)))
    }

    @Test func onlyTheLinkOfTheMailWorksAndForAnHour() async throws {
        let postman = Postman()
        let store = MemoryStore()
        let place = try await place(postman, store: store)
        let ticket = try await ticket(place, postman)
        var damaged = Array(ticket)
        damaged[damaged.count - 20] = damaged[damaged.count - 20] == "0" ? "1" : "0"
        for wrong in ["", "00", String(damaged), String(ticket.dropLast(2)), String(repeating: "0", count: 4_000)] {
            #expect(try await reset(place, wrong).status == 400)
        }
        // Who reads the database cannot make a link of what is there.
        let rows = try await store.read(.directory) {
            try $0.entries(in: KeyRange(lower: Key(), upper: Key().afterAllWithThisPrefix), limit: .max)
        }
        let secret = Array(ticket.dropFirst(32).utf8)
        let bytes = stride(from: 0, to: secret.count, by: 2).compactMap {
            UInt8(String(decoding: secret[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        #expect(!rows.isEmpty && bytes.count == 32)
        for row in rows { #expect(!(row.key.bytes + row.value).contains(bytes)) }
        place.cloud.advance(minutes: MailLimits.resetLifetime / 60_000)
        #expect(try await reset(place, ticket).status == 400)
        #expect(try await place.cloud.client.send("GET", "/password?ticket=\(ticket)").status == 400)
        #expect(await signsIn(place, TestCloud.password))
        await place.cloud.stop()
    }

    /// Nobody learns who has an account: neither from the answer, nor from what the server does before it.
    @Test func theAnswerIsTheSameForEverybody() async throws {
        let postman = Postman()
        let place = try await place(postman)
        var pages: Set<String> = []
        for (email, gets) in [(TestCloud.email, true), ("nobody@example.org", false)] {
            let before = place.cloud.service.mailStatistics()
            let answer = try await ask(place, email)
            #expect(answer.status == 200)
            pages.insert(answer.body)
            try await place.settled { $0.delivered + $0.withdrawn > before.delivered + before.withdrawn }
            #expect((place.cloud.service.mailStatistics().delivered > before.delivered) == gets)
        }
        // The limit is that of the address, whether it has an account or not.
        for email in [TestCloud.email, "nobody@example.org"] {
            for _ in 1..<MailLimits.resetsPerAddressAndDay { #expect(try await ask(place, email).status == 200) }
            let refused = try await ask(place, email)
            #expect(refused.status == 429)
            pages.insert(refused.body.replacing(email, with: ""))
        }
        #expect(pages.count == 2)
        await place.cloud.stop()
    }

    @Test func oneNetworkAddressCausesSoManyMails() async throws {
        let place = try await place(Postman())
        for number in 0..<MailLimits.resetsPerNetworkAddressAndDay {
            #expect(try await ask(place, "a\(number)@example.org").status == 200)
        }
        #expect(try await ask(place, "last@example.org").status == 429)
        for bad in ["", "a", "a b@example.org"] { #expect(try await ask(place, bad).status == 400) }
        await place.cloud.stop()
    }

    /// Threat: links are guessed.
    @Test func wrongLinksCountAsFailedSignIns() async throws {
        let place = try await place(Postman())
        let guess = String(repeating: "0", count: 96)
        for _ in 0..<ServiceLimits.failedSignInsPerAddress {
            #expect(try await place.cloud.client.send("GET", "/password?ticket=\(guess)").status == 400)
        }
        #expect(try await place.cloud.client.send("GET", "/password?ticket=\(guess)").status == 429)
        await place.cloud.stop()
    }

    /// A mail that is sent twice, because the server crashed while it was sent, does not bring a used link back.
    @Test func aMailThatIsTriedAgainHasTheSameLink() async throws {
        let postman = Postman()
        let place = try await place(postman)
        postman.answer(.later(reason: "busy"))
        let first = try await ticket(place, postman)
        try await place.settled { $0.postponed == 1 }
        #expect(try await reset(place, first).status == 303)
        place.cloud.advance(minutes: 2)
        await place.cloud.service.deliverMail()
        try await wait(for: "the second time") { tickets(postman).count == 2 }
        #expect(tickets(postman)[1] == first)
        #expect(try await reset(place, first, "third password").status == 400)
        await place.cloud.stop()
    }

    /// Who is locked out by strangers' guesses comes in with a new password.
    @Test func aNewPasswordEndsTheWait() async throws {
        let postman = Postman()
        let place = try await place(postman)
        for _ in 0..<ServiceLimits.failedSignIns {
            _ = try? await place.cloud.service.beginAccountSession(
                email: TestCloud.email, password: "guess", source: "203.0.113.1")
        }
        #expect(await !signsIn(place, TestCloud.password))
        #expect(try await reset(place, try await ticket(place, postman)).status == 303)
        #expect(await signsIn(place, Self.new))
        await place.cloud.stop()
    }

    @Test func everyFormThatAsksForAPasswordLeadsThere() async throws {
        let place = try await SharePlace()
        let state = try await place.cloud.signInState()
        for path in ["/account", "/share", "/share/x", "/sign-in?state=\(state)"] {
            #expect(try await place.cloud.client.send("GET", path).body.contains("href=\"/password\""), "\(path)")
        }
        // Without a mail server the page says whom to ask.
        let page = try await place.cloud.client.send("GET", "/password")
        #expect(page.status == 200 && page.body.contains("does not send e-mail") && !page.body.contains("<form"))
        #expect(try await ask(place).status == 403)
        await place.cloud.stop()
    }
}
