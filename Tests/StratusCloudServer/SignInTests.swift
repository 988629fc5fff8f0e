import Foundation
import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusSeeds
import Testing

@testable import StratusCloudServer

/// The sign-in page without a browser.
@Suite struct SignInTests {
    private func form(_ state: String, password: String = TestCloud.password, more: String = "") -> String {
        "state=\(state)&email=ada%40example.org&password=\(password.replacing(" ", with: "+"))\(more)"
    }

    private func submit(
        _ cloud: TestCloud, _ body: String, headers: [(String, String)] = []
    ) async throws -> RawResponse {
        try await cloud.client.send(
            "POST", "/sign-in", headers: [("Content-Type", "application/x-www-form-urlencoded")] + headers, body: body)
    }

    private func attribute(_ name: String, in page: String) -> String? {
        guard let start = page.range(of: "\(name)=\"") else { return nil }
        return String(page[start.upperBound...].prefix { $0 != "\"" }).replacing("&quot;", with: "\"")
    }

    @Test func showsAFormThatNoOtherSiteCanUse() async throws {
        let cloud = try await TestCloud()
        let page = try await cloud.client.send("GET", "/sign-in?state=\(try await cloud.signInState())")
        #expect(page.status == 200)
        #expect(page["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.body.contains(TestCloud.container))
        let policy = try #require(page["Content-Security-Policy"])
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        #expect(page["Referrer-Policy"] == "no-referrer")
        #expect(page["Cache-Control"] == "no-store")
        #expect(page["X-Frame-Options"] == "DENY")
        // Nothing from elsewhere, and no script or style but those of the policy.
        #expect(!page.body.contains("http://") && !page.body.contains("https://"))
        #expect(!page.body.contains(" style=") && !page.body.contains(" onclick"))
        await cloud.stop()
    }

    @Test func tellsTheOpenerTheTokenUnderBothNames() async throws {
        let cloud = try await TestCloud()
        let response = try await submit(cloud, form(try await cloud.signInState()))
        #expect(response.status == 200)
        let token = try #require(attribute("data-token", in: response.body))
        #expect(attribute("data-origins", in: response.body) == #"["*"]"#)
        #expect(try await cloud.call("GET", "public/users/caller", token: token).status == 200)
        #expect(SignInAssets.script.contains("ckSession: token, ckWebAuthToken: token"))
        await cloud.stop()
    }

    @Test func tellsOnlyTheOriginsOfTheToken() async throws {
        let cloud = try await TestCloud(origins: ["https://app.example", "https://b.example"])
        let response = try await submit(cloud, form(try await cloud.signInState()))
        #expect(attribute("data-origins", in: response.body) == #"["https://app.example","https://b.example"]"#)
        await cloud.stop()
    }

    @Test func goesToTheCallback() async throws {
        let cloud = try await TestCloud(callback: "cloudkit-icloud.org.example.app://signed-in?a=b")
        let state = try await cloud.signInState()
        let page = try await cloud.client.send("GET", "/sign-in?state=\(state)")
        #expect(
            page["Content-Security-Policy"]?.contains("form-action 'self' cloudkit-icloud.org.example.app:;") == true)
        let response = try await submit(cloud, form(state))
        #expect(response.status == 303)
        #expect(response.body.isEmpty)
        #expect(response["Cache-Control"] == "no-store")
        let location = try #require(response["Location"])
        let prefix = "cloudkit-icloud.org.example.app://signed-in?a=b&ckWebAuthToken="
        #expect(location.hasPrefix(prefix))
        let token = String(location.dropFirst(prefix.count))
        #expect(try await cloud.call("GET", "public/users/caller", token: token).status == 200)
        await cloud.stop()
    }

    @Test func staysSignedInIfAsked() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        let short = try #require(attribute("data-token", in: try await submit(cloud, form(state)).body))
        let long = try #require(
            attribute("data-token", in: try await submit(cloud, form(state, more: "&keep=on")).body))
        cloud.advance(minutes: 31)
        #expect(try await cloud.call("GET", "public/users/caller", token: short).status == 421)
        #expect(try await cloud.call("GET", "public/users/caller", token: long).status == 200)
        await cloud.stop()
    }

    @Test func saysWhatIsWrongAndForgetsThePassword() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        let wrong = try await submit(cloud, form(state, password: "wrong-password"))
        #expect(wrong.status == 401)
        #expect(wrong.body.contains(#"role="alert""#))
        #expect(wrong.body.contains("ada@example.org"))
        #expect(!wrong.body.contains("wrong-password"))
        #expect(attribute("data-token", in: wrong.body) == nil)
        let unknown = try await submit(cloud, "state=\(state)&email=nobody%40example.org&password=wrong-password")
        #expect(unknown.status == 401)
        #expect(
            unknown.body.replacing("nobody@example.org", with: "") == wrong.body.replacing("ada@example.org", with: ""))
        await cloud.stop()
    }

    @Test func stopsGuessing() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        for _ in 0..<ServiceLimits.failedSignIns {
            _ = try await submit(cloud, form(state, password: "wrong-password"))
        }
        let refused = try await submit(cloud, form(state))
        #expect(refused.status == 429)
        #expect(refused["Retry-After"] != nil)
        #expect(refused.body.contains("Too many failed sign-ins"))
        await cloud.stop()
    }

    @Test func refusesOldAndForgedStates() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        for bad in ["", "00", state.dropLast(2) + "00", "%zz"] {
            #expect(try await cloud.client.send("GET", "/sign-in?state=\(bad)").status == 400)
            #expect(try await submit(cloud, form(String(bad))).status == 400)
        }
        cloud.advance(minutes: 16)
        let late = try await cloud.client.send("GET", "/sign-in?state=\(state)")
        #expect(late.status == 400)
        #expect(late.body.contains("expired"))
        #expect(try await cloud.client.send("GET", "/sign-in").status == 400)
        await cloud.stop()
    }

    @Test func takesFormsOfItsOwnPageOnly() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        let own = "http://127.0.0.1:\(cloud.client.port)"
        for (headers, status) in [
            ([("Sec-Fetch-Site", "same-origin"), ("Origin", "null")], 200), ([("Origin", own)], 200),
            ([("Origin", "null")], 200), ([], 200), ([("Sec-Fetch-Site", "cross-site"), ("Origin", "null")], 403),
            ([("Sec-Fetch-Site", "cross-site"), ("Origin", own)], 403), ([("Sec-Fetch-Site", "same-site")], 403),
            ([("Sec-Fetch-Site", "none")], 403), ([("Origin", "https://evil.example")], 403),
        ] as [([(String, String)], Int)] {
            #expect(try await submit(cloud, form(state), headers: headers).status == status, "\(headers)")
        }
        let handler = SignInHandler(service: cloud.service, address: PublicAddress())
        let secure = HTTPRequest(
            head: HTTPRequestHead(
                method: "POST", target: "/sign-in", headers: HTTPHeaders([("Origin", "null"), ("Host", "a.example")]),
                isSecure: true),
            body: HTTPRequestBody(bytes: Array(form(state).utf8)))
        #expect(await handler.respond(to: secure).status == 403)
        await cloud.stop()
    }

    @Test func refusesFormsThatAreNone() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        for body in ["", "state=\(state)", form(state) + "&email=again", form(state) + "&x=%f", "{}", "%ff=%ff"] {
            #expect(try await submit(cloud, body).status == 400)
        }
        await cloud.stop()
    }

    @Test func writesHostileTextHarmlessly() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        let hostile = #""><script>alert(1)</script><a href='x' onmouseover=`y`>&amp;"#
        let body = "state=\(state)&email=\(PercentEncoding.encode(hostile))&password=wrong-password"
        let page = try await submit(cloud, body).body
        #expect(!page.contains("<script>alert"))
        #expect(!page.contains("<a href"))
        #expect(page.contains("&quot;&gt;&lt;script&gt;alert(1)"))
        #expect(HTML.escape("a\u{0}b\u{1B}\r\nc") == "abc")
        #expect(HTML.escape("ü😀") == "ü😀")
        await cloud.stop()
    }

    /// Threat: a name that looks like another one.
    @Test func namesOfOthersShowWhatIsInThemAndStayInTheirPlace() {
        #expect(HTML.name("photo\u{202E}gnp.exe") == "<bdi>photo‹U+202E›gnp.exe</bdi>")
        for hidden in ["\u{202A}", "\u{2066}", "\u{2069}", "\u{200B}", "\u{FEFF}", "\u{3164}", "\u{E0041}", "\n"] {
            #expect(HTML.name("a\(hidden)b").contains("‹U+"))
        }
        #expect(HTML.name("<b>אב & 👩‍🚀</b>") == "<bdi>&lt;b&gt;אב &amp; 👩‍🚀&lt;/b&gt;</bdi>")
    }

    @Test(arguments: [
        ("https://a.example/cb", "https://a.example/cb?ckWebAuthToken=a%2Bb%2Fc%3D", "https://a.example"),
        ("https://a.example/cb?x=1", "https://a.example/cb?x=1&ckWebAuthToken=a%2Bb%2Fc%3D", "https://a.example"),
        ("http://a.example:81/?", "http://a.example:81/?ckWebAuthToken=a%2Bb%2Fc%3D", "http://a.example:81"),
        ("https://a.example#f", "https://a.example?ckWebAuthToken=a%2Bb%2Fc%3D#f", "https://a.example"),
        ("app://done", "app://done?ckWebAuthToken=a%2Bb%2Fc%3D", "app:"),
        ("https://a;script-src,*/", "https://a;script-src,*/?ckWebAuthToken=a%2Bb%2Fc%3D", "https:"),
        ("https://[::1]:8/", "https://[::1]:8/?ckWebAuthToken=a%2Bb%2Fc%3D", "https:"),
    ])
    func buildsCallbacks(callback: String, address: String, source: String) {
        #expect(CallbackAddress.adding("ckWebAuthToken", "a+b/c=", to: callback) == address)
        #expect(CallbackAddress.policySource(of: callback) == source)
    }

    @Test func decodesWhatItEncodes() {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            let scalars = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x1_1000, using: &random))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let encoded = PercentEncoding.encode(text)
            #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed)")
            #expect(PercentEncoding.decode(encoded.utf8) == text, "seed \(seed)")
            #expect(FormFields(Array("a=\(encoded)".utf8))?["a"] == text, "seed \(seed)")
        }
    }
}
