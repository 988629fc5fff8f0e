import Foundation
import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import Testing

@testable import StratusCloudServer

/// The page of a person's own account, without a browser.
@Suite struct AccountTests {
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")

    private func submit(
        _ cloud: TestCloud, _ fields: [(String, String)], session: String? = nil, headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let body = fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        let cookie = session.map { [("Cookie", "other=1; stratus-account=\($0)")] } ?? []
        return try await cloud.client.send("POST", "/account", headers: [Self.form] + cookie + headers, body: body)
    }

    private func open(_ cloud: TestCloud, session: String, query: String = "") async throws -> RawResponse {
        try await cloud.client.send("GET", "/account" + query, headers: [("Cookie", "stratus-account=\(session)")])
    }

    private func session(in response: RawResponse) throws -> String {
        let cookie = try #require(response["Set-Cookie"])
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        return String(cookie.dropFirst("stratus-account=".count).prefix { $0 != ";" })
    }

    private func signIn(_ cloud: TestCloud, headers: [(String, String)] = []) async throws -> String {
        let fields = [("action", "sign-in"), ("email", TestCloud.email), ("password", TestCloud.password)]
        let response = try await submit(cloud, fields, headers: headers)
        #expect(response.status == 303 && response["Location"] == "/account")
        return try session(in: response)
    }

    /// The token of the page's forms.
    private func formToken(_ cloud: TestCloud, _ session: String) async throws -> String {
        let page = try await open(cloud, session: session).body
        let start = try #require(page.range(of: "name=\"form\" value=\""))
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func showsNothingToStrangersAndEverythingToItsOwner() async throws {
        let cloud = try await TestCloud()
        let page = try await cloud.client.send("GET", "/account")
        #expect(page.status == 200)
        #expect(page.body.contains("name=\"password\"") && !page.body.contains(TestCloud.email))
        let session = try await signIn(cloud)
        _ = try await cloud.webAuthToken()
        let own = try await open(cloud, session: session)
        #expect(own.status == 200)
        for text in [TestCloud.email, TestCloud.container, "(development)", "Nobody can find you."] {
            #expect(own.body.contains(text), "\(text)")
        }
        await cloud.stop()
    }

    @Test func showsWhichDevelopersItIsLinkedToAndEndsThat() async throws {
        let place = try await ConsolePlace()
        let cloud = place.cloud
        let session = try await signIn(cloud)
        #expect(try await !open(cloud, session: session).body.contains("Linked developers"))
        let proof = ["email": TestCloud.email, "password": TestCloud.password]
        #expect(try await place.owner.send("POST", "account", proof).status == 200)
        #expect(try await open(cloud, session: session).body.contains("owner@example.org</strong>"))
        func unlink(_ developer: String, _ session: String) async throws -> RawResponse {
            try await submit(
                cloud,
                [("action", "unlink"), ("form", try await formToken(cloud, session)), ("developer", developer)],
                session: session)
        }
        // Nobody ends the links of others.
        try await cloud.service.createAccount(email: "grace@example.org", password: TestCloud.password)
        let fields = [("action", "sign-in"), ("email", "grace@example.org"), ("password", TestCloud.password)]
        let grace = try self.session(in: try await submit(cloud, fields))
        let refused = try await unlink("owner@example.org", grace)
        #expect(refused.status == 404 && refused.body.contains("not linked"), "\(refused.body)")
        #expect(try await cloud.service.person(email: TestCloud.email).consoles.count == 1)
        let answer = try await unlink("Owner@example.org", session)
        #expect(answer.status == 303 && answer["Location"] == "/account?done=unlinked")
        #expect(try await !open(cloud, session: session).body.contains("Linked developers"))
        #expect(try await place.owner.get("account").json["account"] as? [String: Any] == nil)
        await place.stop()
    }

    /// Threat 72: click-jacking, and everything else that another site could do with the page.
    @Test func noOtherSiteCanUseThePage() async throws {
        let cloud = try await TestCloud()
        let session = try await signIn(cloud)
        for page in [try await cloud.client.send("GET", "/account"), try await open(cloud, session: session)] {
            let policy = try #require(page["Content-Security-Policy"])
            for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
                #expect(policy.contains(rule))
            }
            #expect(!policy.contains("unsafe"))
            #expect(page["X-Frame-Options"] == "DENY")
            #expect(page["Cache-Control"] == "no-store")
            #expect(page["Referrer-Policy"] == "no-referrer")
            #expect(page["Access-Control-Allow-Origin"] == nil)
            #expect(!page.body.contains(" style=") && !page.body.contains(" onclick") && !page.body.contains("<script"))
        }
        await cloud.stop()
    }

    /// Threat 72: forms of other sites, with the cookie that browsers might send along.
    @Test func takesFormsOfItsOwnPageOnly() async throws {
        let cloud = try await TestCloud()
        let session = try await signIn(cloud)
        let token = try await formToken(cloud, session)
        for foreign in [
            [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "none")],
            [("Origin", "https://evil.example")],
        ] {
            for fields in [
                [("action", "sign-out-everywhere"), ("form", token)],
                [("action", "sign-in"), ("email", TestCloud.email), ("password", TestCloud.password)],
            ] {
                let refused = try await submit(cloud, fields, session: session, headers: foreign)
                #expect(refused.status == 403 && refused["Set-Cookie"] == nil, "\(foreign)")
            }
        }
        let another = try await signIn(cloud)
        for wrong in [nil, "", String(token.reversed()), try await formToken(cloud, another)] {
            for action in ["sign-out-everywhere", "sign-out", "password", "discoverable", "anything"] {
                let fields = [("action", action)] + (wrong.map { [("form", $0)] } ?? [])
                #expect(try await submit(cloud, fields, session: session).status == 403, "\(action)")
            }
        }
        #expect(try await open(cloud, session: session).body.contains(TestCloud.email))
        #expect(try await submit(cloud, [("action", "sign-out")], session: "00").status == 401)
        await cloud.stop()
    }

    /// Threat 72: a session that the browser was given before the sign-in is not the one after it.
    @Test func aSessionFromElsewhereIsNeverTakenOver() async throws {
        let cloud = try await TestCloud()
        let planted = String(repeating: "ab", count: 48)
        #expect(try await open(cloud, session: planted).body.contains("name=\"password\""))
        let fields = [("action", "sign-in"), ("email", TestCloud.email), ("password", TestCloud.password)]
        let first = try session(in: try await submit(cloud, fields, session: planted))
        let second = try session(in: try await submit(cloud, fields, session: first))
        #expect(Set([planted, first, second]).count == 3)
        #expect(!(try await open(cloud, session: planted).body.contains(TestCloud.email)))
        // Of two cookies one may be planted from a neighbour's name.
        let two = try await cloud.client.send(
            "GET", "/account", headers: [("Cookie", "stratus-account=\(first); stratus-account=\(second)")])
        #expect(!two.body.contains(TestCloud.email))
        await cloud.stop()
    }

    @Test func onASecureConnectionTheCookieIsBoundToTheHost() async throws {
        let cloud = try await TestCloud(configure: { $0.publicURL = "https://cloud.example" })
        let fields = [("action", "sign-in"), ("email", TestCloud.email), ("password", TestCloud.password)]
        let response = try await submit(cloud, fields)
        let cookie = try #require(response["Set-Cookie"])
        #expect(cookie.hasPrefix("__Host-stratus-account="))
        #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure"))
        let value = cookie.dropFirst("__Host-stratus-account=".count).prefix { $0 != ";" }
        // Under the other name it is nothing.
        #expect(!(try await open(cloud, session: String(value)).body.contains(TestCloud.email)))
        let own = try await cloud.client.send(
            "GET", "/account", headers: [("Cookie", "__Host-stratus-account=\(value)")])
        #expect(own.body.contains(TestCloud.email))
        await cloud.stop()
    }

    @Test func choosesWhoFindsThePersonForEachApp() async throws {
        let cloud = try await TestCloud()
        let session = try await signIn(cloud)
        let token = try await formToken(cloud, session)
        _ = try await cloud.webAuthToken()
        func choose(_ choice: String, _ environment: String = "development") async throws -> RawResponse {
            try await submit(
                cloud,
                [
                    ("action", "discoverable"), ("form", token), ("container", TestCloud.container),
                    ("environment", environment), ("discoverable", choice),
                ], session: session)
        }
        for (choice, done, state) in [
            ("yes", "found", "Stop letting others find me"), ("no", "hidden", "Let others find me"),
        ] {
            let response = try await choose(choice)
            #expect(response.status == 303 && response["Location"] == "/account?done=\(done)")
            #expect(try await open(cloud, session: session).body.contains(state))
        }
        #expect(try await choose("maybe").status == 400)
        #expect(try await choose("yes", "elsewhere").status == 400)
        #expect(try await choose("yes", "production").status == 404)
        await cloud.stop()
    }

    @Test func changesThePasswordForWhoKnowsIt() async throws {
        let cloud = try await TestCloud()
        let session = try await signIn(cloud)
        let token = try await formToken(cloud, session)
        func change(_ current: String, _ new: String, _ again: String? = nil) async throws -> RawResponse {
            try await submit(
                cloud,
                [
                    ("action", "password"), ("form", token), ("current", current), ("new", new),
                    ("again", again ?? new),
                ], session: session)
        }
        for (response, status, text) in [
            (try await change("wrong-password", "battery staple"), 401, "The current password is wrong."),
            (try await change(TestCloud.password, "battery staple", "batery staple"), 400, "do not match"),
            (try await change(TestCloud.password, "short"), 400, "at least 8 characters"),
        ] {
            #expect(response.status == status && response.body.contains(text), "\(response.body)")
            #expect(response.body.contains("role=\"alert\"") && !response.body.contains("battery staple"))
            #expect(response["Set-Cookie"] == nil)
        }
        let done = try await change(TestCloud.password, "battery staple")
        #expect(done.status == 303 && done["Location"] == "/account?done=password")
        let renewed = try self.session(in: done)
        #expect(try await open(cloud, session: renewed, query: "?done=password").body.contains("role=\"status\""))
        #expect(!(try await open(cloud, session: session).body.contains(TestCloud.email)))
        await cloud.stop()
    }

    @Test func stopsGuessingThroughTheChangeOfPassword() async throws {
        let cloud = try await TestCloud()
        let session = try await signIn(cloud)
        let token = try await formToken(cloud, session)
        let fields = [("action", "password"), ("form", token), ("new", "battery staple"), ("again", "battery staple")]
        for _ in 0..<ServiceLimits.failedSignIns {
            #expect(try await submit(cloud, fields + [("current", "wrong-password")], session: session).status == 401)
        }
        let refused = try await submit(cloud, fields + [("current", TestCloud.password)], session: session)
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        await cloud.stop()
        // The failures are in the log, what was typed is not.
        let log = await cloud.log.text()
        #expect(log.contains("\"route\":\"account\"") && log.contains("AUTHENTICATION_FAILED"))
        for secret in ["wrong-password", "battery", session, token] { #expect(!log.contains(secret)) }
    }

    @Test func signsOutHereOrEverywhere() async throws {
        let cloud = try await TestCloud()
        let app = try await cloud.webAuthToken()
        for (action, done, status) in [("sign-out", "signed-out", 200), ("sign-out-everywhere", "everywhere", 421)] {
            let session = try await signIn(cloud)
            let response = try await submit(
                cloud, [("action", action), ("form", try await formToken(cloud, session))], session: session)
            #expect(response.status == 303 && response["Location"] == "/account?done=\(done)")
            #expect(response["Set-Cookie"]?.contains("stratus-account=; Max-Age=0") == true)
            #expect(!(try await open(cloud, session: session).body.contains(TestCloud.email)))
            #expect(try await cloud.call("GET", "public/users/caller", token: app).status == status)
        }
        await cloud.stop()
    }

    @Test func listsSessionsAndEndsThemOneByOne() async throws {
        let cloud = try await TestCloud()
        let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        let session = try await signIn(cloud, headers: [("User-Agent", browser)])
        let state = try await cloud.signInState()
        let fields = "state=\(state)&email=ada%40example.org&password=\(TestCloud.password.replacing(" ", with: "+"))"
        let hostile = #""><script>alert(1)</script>"#
        let signedIn = try await cloud.client.send(
            "POST", "/sign-in", headers: [Self.form, ("User-Agent", hostile)], body: fields)
        #expect(signedIn.status == 200)
        let app = try await cloud.webAuthToken()
        let page = try await open(cloud, session: session).body
        #expect(page.contains("Firefox on Linux") && page.contains("You are using this browser now."))
        #expect(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert"))
        #expect(page.contains("Signed in 2026-01-01, 00:00 UTC, last used 2026-01-01, 00:00 UTC"))
        let ids = page.split(separator: "name=\"session\" value=\"").dropFirst().map { String($0.prefix(64)) }
        #expect(ids.count == 2)
        func end(_ id: String, form: String? = nil) async throws -> RawResponse {
            let token = if let form { form } else { try await formToken(cloud, session) }
            return try await submit(
                cloud, [("action", "end-session"), ("form", token), ("session", id)], session: session)
        }
        #expect(try await end(ids[0], form: "").status == 403)
        for id in ids {
            let ended = try await end(id)
            #expect(ended.status == 303 && ended["Location"] == "/account?done=session-ended")
            #expect(try await end(id).status == 404)
        }
        #expect(try await cloud.call("GET", "public/users/caller", token: app).status == 421)
        #expect(try await open(cloud, session: session).body.contains(TestCloud.email))
        await cloud.stop()
    }

    @Test func deletesTheAccountForWhoKnowsThePassword() async throws {
        let cloud = try await TestCloud()
        let app = try await cloud.webAuthToken()
        let session = try await signIn(cloud)
        let form = try await formToken(cloud, session)
        func delete(_ password: String, form: String) async throws -> RawResponse {
            try await submit(
                cloud, [("action", "delete"), ("form", form), ("password", password), ("public", "on")],
                session: session)
        }
        #expect(try await delete(TestCloud.password, form: "").status == 403)
        let wrong = try await delete("wrong-password", form: form)
        #expect(
            wrong.status == 401 && wrong.body.contains("The password is wrong.") && wrong.body.contains("more\" open"))
        #expect(try await cloud.service.listAccounts() == [TestCloud.email])
        let done = try await delete(TestCloud.password, form: form)
        #expect(done.status == 303 && done["Location"] == "/account?done=deleted")
        #expect(done["Set-Cookie"]?.contains("stratus-account=; Max-Age=0") == true)
        #expect(try await cloud.service.listAccounts() == [])
        #expect(try await cloud.call("GET", "public/users/caller", token: app).status == 421)
        await cloud.stop()
    }

    @Test(arguments: [
        (nil, "Unknown program"), ("stratus/0.9", "stratus/0.9"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605 Version/18.5 Safari/604",
            "Safari on iPhone"
        ),
        ("Mozilla/5.0 (Windows NT 10.0; Win64) AppleWebKit/537 Chrome/138.0 Safari/537 Edg/138.0", "Edge on Windows"),
        ("Mozilla/5.0 (Linux; Android 16) AppleWebKit/537 Chrome/138.0 Mobile Safari/537", "Chrome on Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15_5) AppleWebKit/605 Version/18.5 Safari/605", "Safari on Mac"),
        ("Mozilla/5.0 (Somewhere) Firefox/1", "Firefox"),
    ])
    func programsHaveNames(agent: String?, name: String) {
        #expect(ClientName.text(of: agent) == name)
    }

    @Test func refusesFormsThatAreNone() async throws {
        let cloud = try await TestCloud()
        for body in ["", "email=a", "action=sign-in&action=sign-in", "action=%zz", "%ff=%ff"] {
            let response = try await cloud.client.send("POST", "/account", headers: [Self.form], body: body)
            #expect(response.status == 400)
        }
        #expect(try await cloud.client.send("PUT", "/account").status == 405)
        let long = "action=sign-in&email=" + String(repeating: "x", count: ServerLimits.formSize)
        #expect(try await cloud.client.send("POST", "/account", headers: [Self.form], body: long).status == 413)
        await cloud.stop()
    }

    @Test func writesHostileTextHarmlessly() async throws {
        let cloud = try await TestCloud()
        let hostile = #""><script>alert(1)</script>"#
        let fields = [("action", "sign-in"), ("email", hostile), ("password", "wrong-password")]
        let page = try await submit(cloud, fields)
        #expect(page.status == 401 && !page.body.contains("<script") && !page.body.contains("wrong-password"))
        let notice = try await cloud.client.send("GET", "/account?done=\(PercentEncoding.encode(hostile))")
        #expect(notice.status == 200 && !notice.body.contains("alert(1)"))
        await cloud.stop()
    }
}
