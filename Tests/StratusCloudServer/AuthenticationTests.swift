import StratusCloudModel
import Testing

@testable import StratusCloudServer

/// Who is let in with tokens.
@Suite struct AuthenticationTests {
    private static let lookup = #"{"records":[{"recordName":"none"}]}"#

    @Test func takesAnAPITokenInEitherCase() async throws {
        let cloud = try await TestCloud()
        for token in [cloud.apiToken, cloud.apiToken.uppercased()] {
            let response = try await cloud.client.send(
                "POST", TestCloud.path("public/records/lookup") + "?ckAPIToken=\(token)", body: Self.lookup)
            #expect(response.status == 200)
        }
        await cloud.stop()
    }

    @Test func refusesWrongAPITokensAlike() async throws {
        let cloud = try await TestCloud()
        let path = TestCloud.path("public/records/lookup")
        let production = TestCloud.path("public/records/lookup", environment: "production")
        let other = "/database/1/iCloud.org.example.other/development/public/records/lookup"
        let wrong = String(repeating: "0", count: 64)
        var reasons: Set<String> = []
        for target in [
            path, "\(path)?ckAPIToken=", "\(path)?ckAPIToken=\(wrong)", "\(path)?ckAPIToken=abc",
            "\(path)?ckAPIToken=\(cloud.apiToken)00", "\(path)?ckAPIToken=%zz", "\(path)?ckapitoken=\(cloud.apiToken)",
            "\(production)?ckAPIToken=\(cloud.apiToken)", "\(other)?ckAPIToken=\(cloud.apiToken)",
        ] {
            let response = try await cloud.client.send("POST", target, body: Self.lookup)
            #expect(response.status == 401, "\(target)")
            #expect(response.code == "AUTHENTICATION_FAILED")
            #expect(response.isWholeError)
            reasons.insert(response.json["reason"] as? String ?? "")
        }
        #expect(reasons.count == 1)
        await cloud.stop()
    }

    @Test func asksForAUserWithTheSignInPage() async throws {
        let cloud = try await TestCloud()
        for rest in ["private/records/lookup", "shared/zones/list", "public/users/caller", "private/users/current"] {
            let response = try await cloud.call("POST", rest, body: rest.hasSuffix("lookup") ? Self.lookup : "{}")
            #expect(response.status == 421, "\(rest)")
            #expect(response.code == "AUTHENTICATION_REQUIRED")
            #expect(response.isWholeError)
            let address = try #require(response.json["redirectURL"] as? String)
            #expect(address.hasPrefix("http://127.0.0.1:\(cloud.client.port)/sign-in?state="))
        }
        await cloud.stop()
    }

    @Test func prefersTheConfiguredAddressAndRefusesHostsThatAreNone() async throws {
        let configured = try await TestCloud(configure: { $0.publicURL = "https://cloud.example/" })
        let response = try await configured.call("GET", "public/users/caller")
        #expect((response.json["redirectURL"] as? String)?.hasPrefix("https://cloud.example/sign-in?state=") == true)
        await configured.stop()
        let cloud = try await TestCloud()
        let hostile = try await cloud.call("GET", "public/users/caller", headers: [("Host", "a.example:80:90")])
        #expect(hostile.status == 400)
        #expect(hostile.json["redirectURL"] == nil)
        await cloud.stop()
    }

    @Test func takesAWebAuthTokenUnderBothNames() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        for name in ["ckWebAuthToken", "ckSession", "ckWeb%41uthToken"] {
            let response = try await cloud.client.send(
                "GET", TestCloud.path("public/users/caller") + "?\(name)=\(token)&ckAPIToken=\(cloud.apiToken)")
            #expect(response.status == 200, "\(name)")
            let first = try #require(response["X-Apple-CloudKit-Web-Auth-Token"])
            #expect(first == response["X-Apple-CloudKit-Session"])
            #expect(first != token)
        }
        await cloud.stop()
    }

    @Test func mapsDecodedSpacesBackToPluses() {
        #expect(QueryParameters("ckWebAuthToken=a%20b+c%2Bd").webAuthToken == "a+b+c+d")
        #expect(QueryParameters("ckSession=a%2Fb%3D").webAuthToken == "a/b=")
        #expect(QueryParameters("ckSession=old&ckWebAuthToken=new").webAuthToken == "new")
        #expect(QueryParameters("ckWebAuthToken=&ckAPIToken").webAuthToken == nil)
        #expect(QueryParameters("ckAPIToken=a&ckAPIToken=b").apiToken == "a")
        #expect(QueryParameters("getCurrentSyncToken=true").getCurrentSyncToken)
        #expect(!QueryParameters("getCurrentSyncToken=false").getCurrentSyncToken)
        #expect(QueryParameters("clientId=%78&clientId=y").clientID == "x")
        #expect(QueryParameters(nil) == QueryParameters("ckjsVersion=2.6.1&clientVersion=x&&=&"))
    }

    @Test func keepsEveryTokenGoodThroughParallelRequests() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let answers = try await withThrowingTaskGroup(of: RawResponse.self) { group in
            for _ in 0..<12 { group.addTask { try await cloud.call("GET", "public/users/caller", token: token) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 })
        let renewed = Set(answers.compactMap { $0["X-Apple-CloudKit-Web-Auth-Token"] })
        #expect(renewed.count == 12)
        for token in renewed {
            #expect(try await cloud.call("GET", "private/zones/list", token: token).status == 200)
        }
        await cloud.stop()
    }

    @Test func answersAnExpiredTokenWithTheSignInPage() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        cloud.advance(minutes: 15 * 24 * 60)
        let response = try await cloud.call("GET", "public/users/caller", token: token)
        #expect(response.status == 421)
        #expect(response.json["redirectURL"] != nil)
        #expect(response["X-Apple-CloudKit-Web-Auth-Token"] == nil)
        let forged = try await cloud.call("GET", "public/users/caller", token: "158__54__forged")
        #expect(forged.status == 421)
        await cloud.stop()
    }

    @Test func keepsTokensToTheirOrigins() async throws {
        let cloud = try await TestCloud(origins: ["https://app.example"])
        let allowed = try await cloud.call(
            "POST", "public/records/lookup", body: Self.lookup, headers: [("Origin", "https://app.example")])
        #expect(allowed.status == 200)
        #expect(allowed["Access-Control-Allow-Origin"] == "https://app.example")
        let refused = try await cloud.call(
            "POST", "public/records/lookup", body: Self.lookup, headers: [("Origin", "https://evil.example")])
        #expect(refused.status == 403)
        #expect(refused.code == "ACCESS_DENIED")
        #expect(refused.isWholeError)
        #expect(refused["Access-Control-Allow-Origin"] == "https://evil.example")
        #expect(try await cloud.call("POST", "public/records/lookup", body: Self.lookup).status == 200)
        await cloud.stop()
    }

    @Test func showsTheCallerInBothShapes() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let response = try await cloud.call("GET", "public/users/caller", token: token)
        let name = try #require(response.json["userRecordName"] as? String)
        #expect(name.hasPrefix("_"))
        let users = try #require(response.json["users"] as? [[String: Any]])
        #expect(users.first?["userRecordName"] as? String == name)
        let current = try await cloud.call("GET", "private/users/current", token: token)
        #expect(current.json["userRecordName"] as? String == name)
        await cloud.stop()
    }
}
