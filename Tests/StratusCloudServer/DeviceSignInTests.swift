import StratusCloudCrypto
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Signing in a program on a person's own machine.
@Suite struct DeviceSignInTests {
    private static let secret = "the program's secret"
    private static let challenge = Hex.encode(SHA256.hash(Array(secret.utf8)))
    private static let callback = "http://127.0.0.1:4000/signed-in?state=ab"

    private func post(
        _ cloud: TestCloud, _ path: String, _ fields: [String: String], headers: [(String, String)] = []
    ) async throws -> RawResponse {
        let body = fields.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return try await cloud.client.send("POST", path, headers: headers, body: body)
    }

    /// What the browser brings to the callback.
    private func code(_ cloud: TestCloud, challenge: String = challenge) async throws -> String {
        let fields = [
            "state": try await cloud.signInState(), "email": TestCloud.email, "password": TestCloud.password,
            "callback": Self.callback, "challenge": challenge,
        ]
        let response = try await post(cloud, "/sign-in", fields)
        try #require(response.status == 303, "\(response.body)")
        let location = try #require(response["Location"])
        let start = Self.callback + "&code="
        try #require(location.hasPrefix(start))
        return String(location.dropFirst(start.count))
    }

    @Test func thePageSaysThatAProgramAsksAndGoesBackToIt() async throws {
        let cloud = try await TestCloud(callback: "https://app.example/never")
        let query =
            "state=\(try await cloud.signInState())&callback=\(PercentEncoding.encode(Self.callback))"
            + "&challenge=\(Self.challenge)"
        let page = try await cloud.client.send("GET", "/sign-in?" + query)
        #expect(page.status == 200 && page.body.contains("program on this computer"))
        #expect(page.body.contains(Self.challenge) && !page.body.contains(#"name="keep""#))
        #expect(page["Content-Security-Policy"]?.contains("form-action 'self' http://127.0.0.1:4000;") == true)
        await cloud.stop()
    }

    @Test func aCodeIsGoodForTheProgramOnly() async throws {
        let cloud = try await TestCloud()
        let code = try await code(cloud)
        #expect(!code.contains("ckWebAuthToken"))
        for wrong in ["", "another secret", Self.challenge] {
            let refused = try await post(cloud, "/sign-in/device", ["code": code, "secret": wrong])
            #expect(refused.status == 401 && refused.isWholeError)
        }
        for forged in [code.dropLast(2) + "00", "", "00"] {
            let fields = ["code": String(forged), "secret": Self.secret]
            #expect(try await post(cloud, "/sign-in/device", fields).status == 401)
        }
        let signedIn = try await post(cloud, "/sign-in/device", ["code": code, "secret": Self.secret])
        let token = try #require(signedIn.json["ckWebAuthToken"] as? String)
        let caller = try await cloud.call("GET", "public/users/caller", token: token)
        #expect(caller.json["userRecordName"] as? String == signedIn.json["userRecordName"] as? String)
        await cloud.stop()
    }

    @Test func aCodeIsGoodForTwoMinutes() async throws {
        let cloud = try await TestCloud()
        let code = try await code(cloud)
        cloud.clock.withLock { $0 += ServiceLimits.deviceCodeLifetime - 1 }
        let fields = ["code": code, "secret": Self.secret]
        #expect(try await post(cloud, "/sign-in/device", fields).status == 200)
        cloud.clock.withLock { $0 += 1 }
        #expect(try await post(cloud, "/sign-in/device", fields).status == 401)
        await cloud.stop()
    }

    @Test func aNewPasswordVoidsCodes() async throws {
        let cloud = try await TestCloud()
        let code = try await code(cloud)
        let session = try await cloud.service.beginAccountSession(
            email: TestCloud.email, password: TestCloud.password, source: nil)
        let holder = try #require(try await cloud.service.accountHolder(session: session))
        try await cloud.service.endAllSessions(of: holder)
        let fields = ["code": code, "secret": Self.secret]
        #expect(try await post(cloud, "/sign-in/device", fields).status == 401)
        await cloud.stop()
    }

    @Test(arguments: [
        "http://localhost:4000/", "https://127.0.0.1:4000/", "http://127.0.0.1/", "http://127.0.0.1:4000",
        "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://127.0.0.1:80@evil.example/",
        "http://127.0.0.1.evil.example:80/", "javascript:alert(1)", "http://127.0.0.1:4000/a b", "",
    ])
    func codesGoToThisMachineOnly(callback: String) async throws {
        let cloud = try await TestCloud()
        let fields = [
            "state": try await cloud.signInState(), "email": TestCloud.email, "password": TestCloud.password,
            "callback": callback, "challenge": Self.challenge,
        ]
        let response = try await post(cloud, "/sign-in", fields)
        #expect(response.status == 400 && response["Location"] == nil)
        let query = "callback=\(PercentEncoding.encode(callback))&challenge=\(Self.challenge)"
        let page = try await cloud.client.send("GET", "/sign-in?state=\(try await cloud.signInState())&\(query)")
        #expect(page.status == 400)
        await cloud.stop()
    }

    @Test func callbacksAndChallengesHaveALength() throws {
        func callback(_ length: Int) -> String {
            let start = "http://127.0.0.1:1/"
            return start + String(repeating: "a", count: length - start.utf8.count)
        }
        _ = try DeviceSignIn(callback: callback(ServiceLimits.deviceCallbackLength), challenge: Self.challenge)
        #expect(throws: (any Error).self) {
            try DeviceSignIn(callback: callback(ServiceLimits.deviceCallbackLength + 1), challenge: Self.challenge)
        }
        for challenge in ["", "00", Self.challenge + "00", String(repeating: "x", count: 64)] {
            #expect(throws: (any Error).self) { try DeviceSignIn(callback: callback(30), challenge: challenge) }
        }
    }

    @Test func aPasswordIsGoodWithoutABrowserAndCountsAsAnySignIn() async throws {
        let cloud = try await TestCloud()
        let state = try await cloud.signInState()
        func signIn(_ password: String) async throws -> RawResponse {
            try await post(
                cloud, "/sign-in/device", ["state": state, "email": TestCloud.email, "password": password])
        }
        #expect(try await signIn(TestCloud.password).status == 200)
        for _ in 0..<ServiceLimits.failedSignIns { #expect(try await signIn("wrong password").status == 401) }
        let refused = try await signIn(TestCloud.password)
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        await cloud.stop()
    }

    @Test func pagesCannotUseIt() async throws {
        let cloud = try await TestCloud()
        let fields = [
            "state": try await cloud.signInState(), "email": TestCloud.email, "password": TestCloud.password,
        ]
        for headers in [[("Origin", "https://evil.example")], [("Sec-Fetch-Site", "same-origin")]] {
            #expect(try await post(cloud, "/sign-in/device", fields, headers: headers).status == 403)
            #expect(try await post(cloud, "/sign-out", ["ckWebAuthToken": "x"], headers: headers).status == 403)
        }
        #expect(try await cloud.client.send("GET", "/sign-in/device").status == 405)
        #expect(try await cloud.client.send("GET", "/sign-out").status == 405)
        await cloud.stop()
    }

    /// A device that is used stays signed in for a year, one that is not for thirty days.
    @Test func devicesStaySignedIn() async throws {
        let cloud = try await TestCloud()
        let day: Int64 = 24 * 60
        let fields = ["code": try await code(cloud), "secret": Self.secret]
        let signedIn = try await post(cloud, "/sign-in/device", fields)
        let first = try #require(signedIn.json["ckWebAuthToken"] as? String)
        var token = first
        for _ in 0..<12 {
            cloud.advance(minutes: 29 * day)
            let answer = try await cloud.call("GET", "public/users/caller", token: token)
            #expect(answer.status == 200)
            token = try #require(answer["X-Apple-CloudKit-Web-Auth-Token"])
        }
        #expect(try await cloud.call("GET", "public/users/caller", token: first).status == 421)
        cloud.advance(minutes: 18 * day)
        #expect(try await cloud.call("GET", "public/users/caller", token: token).status == 421, "a year is over")
        await cloud.stop()
    }

    @Test func signingOutVoidsAllTokensOfTheSessionAtOnce() async throws {
        let cloud = try await TestCloud()
        let fields = ["code": try await code(cloud), "secret": Self.secret]
        let signedIn = try await post(cloud, "/sign-in/device", fields)
        let token = try #require(signedIn.json["ckWebAuthToken"] as? String)
        let answer = try await cloud.call("GET", "public/users/caller", token: token)
        let renewed = try #require(answer["X-Apple-CloudKit-Web-Auth-Token"])
        let other = try await cloud.webAuthToken()
        #expect(try await post(cloud, "/sign-out", ["ckWebAuthToken": renewed]).status == 200)
        for void in [token, renewed] {
            #expect(try await cloud.call("GET", "public/users/caller", token: void).status == 421)
        }
        #expect(try await cloud.call("GET", "public/users/caller", token: other).status == 200)
        #expect(try await post(cloud, "/sign-out", ["ckWebAuthToken": renewed]).status == 200, "nothing to end")
        #expect(try await post(cloud, "/sign-out", ["ckWebAuthToken": "x"]).status == 200)
        #expect(try await post(cloud, "/sign-out", [:]).status == 400)
        await cloud.stop()
    }
}
