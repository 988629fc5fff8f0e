import StratusTestSupport
import Testing

/// Signing in on the page that `redirectURL` leads to, as a browser does it.
@Suite("Sign-in")
struct SignInTests {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("Sign-in") }

    /// Opens the page for a client with this API token.
    private func open(_ apiToken: String) async throws -> Answer {
        let refusal = try await tenant.database("public", .apiToken(apiToken)).get("users/caller")
        let redirect = try #require(refusal.json["redirectURL"].string, "\(refusal)")
        let page = try await browser.send("GET", path: String(redirect.dropFirst(browser.server.count)))
        #expect(page.status == 200)
        return page
    }

    private var browser: Database { tenant.database("public", .none) }

    private func submit(_ page: Answer, email: String, password: String) async throws -> Answer {
        var form = try SignInForm(page: page)
        form.fields += [("email", email), ("password", password)]
        return try await browser.send(
            "POST", path: form.action,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Origin": browser.server], body: form.body)
    }

    private func expectSignedIn(_ token: String, at location: SourceLocation = #_sourceLocation) async throws {
        let credential = Credential.user(apiToken: tenant.apiToken, webAuthToken: token)
        let caller = try await tenant.database("public", credential).get("users/caller")
        #expect(
            caller.json["userRecordName"].string == tenant.alice.userRecordName, "\(caller)", sourceLocation: location)
    }

    @Test("By default the page posts the token to its opener, under both names")
    func message() async throws {
        let done = try await submit(
            try await open(tenant.apiToken), email: tenant.alice.email, password: tenant.alice.password)
        #expect(done.status == 200, "\(done.status)")
        for word in ["postMessage", "ckSession", "ckWebAuthToken"] { #expect(done.text.contains(word)) }
        let token = try #require(done.text.firstMatch(of: /[A-Za-z0-9_]{100,}/)?.output, "no token in the page")
        try await expectSignedIn(String(token))
        #expect(done.headers["Cache-Control"]?.contains("no-store") == true)
        #expect(done.headers["Referrer-Policy"] != nil)
        #expect(done.headers["Content-Security-Policy"] != nil)
    }

    @Test(
        "With a callback the browser is sent there with the token",
        arguments: [
            "https://app.example.org/signed-in", "https://app.example.org/?page=2",
            "cloudkit-icloud.org.example.app://done",
        ])
    func callback(url: String) async throws {
        let made = try await tenant.cloud.tool([
            "token", "create", "--container", tenant.container, "--environment", "development", "--callback", url,
        ])
        let apiToken = try #require(made["token"].string)
        let done = try await submit(
            try await open(apiToken), email: tenant.alice.email, password: tenant.alice.password)
        #expect([302, 303].contains(done.status), "\(done)")
        let location = try #require(done.headers["Location"])
        let separator = url.contains("?") ? "&" : "?"
        let start = url + separator + "ckWebAuthToken="
        #expect(location.hasPrefix(start), "\(location)")
        let token = location.dropFirst(start.count).replacing("%2B", with: "+").replacing("%2F", with: "/")
        try await expectSignedIn(String(token.replacing("%3D", with: "=")))
    }

    @Test("A wrong password and an unknown address are answered alike, without a token")
    func refused() async throws {
        let attempts = [
            (tenant.bob.email, "wrong password"), (Unique.name("nobody") + "@example.org", tenant.alice.password),
        ]
        var pages: Set<String> = []
        for (email, password) in attempts {
            let page = try await open(tenant.apiToken)
            let answer = try await submit(page, email: email, password: password)
            #expect((200..<500).contains(answer.status) && answer.headers["Location"] == nil, "\(answer)")
            #expect(!answer.text.contains(password))
            let state = try SignInForm(page: answer).fields.first?.value ?? ""
            pages.insert(
                "\(answer.status)" + answer.text.replacing(email, with: "").replacing(state, with: ""))
            #expect(answer.text.replacing(state, with: "").firstMatch(of: /[A-Za-z0-9_]{100,}/) == nil, "a token?")
        }
        #expect(pages.count == 1)
    }

    @Test("The page is not opened without its state, or with another")
    func foreignState() async throws {
        let page = try await open(tenant.apiToken)
        var form = try SignInForm(page: page)
        form.fields = form.fields.map { ($0.name, String($0.value.reversed())) }
        form.fields += [("email", tenant.alice.email), ("password", tenant.alice.password)]
        let answer = try await browser.send(
            "POST", path: form.action,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Origin": browser.server], body: form.body)
        #expect((400..<500).contains(answer.status), "\(answer)")
        #expect(answer.text.firstMatch(of: /[A-Za-z0-9_]{100,}/) == nil)
        let fromElsewhere = try await browser.send(
            "POST", path: form.action,
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"],
            body: try SignInForm(page: page).body)
        #expect((400..<500).contains(fromElsewhere.status), "\(fromElsewhere)")
    }
}
