import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Coming in, staying, and going.
@Suite struct ConsoleSessionTests {
    @Test("Threat 26: the first owner comes in with a code that is used up")
    func theFirstOwnerComesInWithACodeThatIsUsedUp() async throws {
        let cloud = try await TestCloud()
        let nobody = ConsolePlace.Browser(client: cloud.client, session: nil)
        let before = try await nobody.get("session")
        #expect(before.json["needsSetUp"] as? Bool == true)
        #expect(before.json["developer"] is NSNull)
        let code = try await cloud.service.inviteOwner(by: "test")
        var form = [
            "code": "aaaaa-aaaaa-aaaaa-aaaaa-aaaaa", "email": "O@Example.org ", "name": "O", "password": "12345678",
        ]
        #expect(try await nobody.send("POST", "set-up", form).status == 404)
        form["code"] = code.uppercased().replacing("-", with: " ")
        form["password"] = "1234567"
        #expect(try await nobody.send("POST", "set-up", form).status == 400)
        form["password"] = "12345678"
        let answer = try await nobody.send("POST", "set-up", form)
        #expect(answer.status == 200, "\(answer.body)")
        let cookie = try #require(answer["Set-Cookie"])
        #expect(cookie.hasSuffix("; Path=/console; HttpOnly; SameSite=Strict"))
        let owner = ConsolePlace.Browser(client: cloud.client, session: ConsolePlace.Browser.session(in: answer))
        let session = try await owner.get("session")
        let developer = try #require(session.json["developer"] as? [String: Any])
        #expect(developer["email"] as? String == "o@example.org")
        #expect(developer["owner"] as? Bool == true)
        #expect(try await nobody.get("session").json["needsSetUp"] as? Bool == false)
        form["email"] = "second@example.org"
        #expect(try await nobody.send("POST", "set-up", form).status == 404)
        await cloud.stop()
    }

    /// Each start of a server that nobody owns shows a code, and logs are kept.
    @Test("Threat 26: codes for anybody end when one of them is taken")
    func codesForAnybodyEndWhenOneOfThemIsTaken() async throws {
        let cloud = try await TestCloud()
        let nobody = ConsolePlace.Browser(client: cloud.client, session: nil)
        var codes: [String] = []
        for _ in 0..<3 { codes.append(try await cloud.service.inviteOwner(by: "test")) }
        let named = try await cloud.service.inviteOwner(email: "named@example.org", by: "test")
        var form = ["code": codes[1], "email": "o@example.org", "name": "O", "password": ConsolePlace.password]
        #expect(try await nobody.send("POST", "set-up", form).status == 200)
        form["email"] = "eve@example.org"
        for code in codes {
            form["code"] = code
            #expect(try await nobody.send("POST", "set-up", form).status == 404)
        }
        form["code"] = named
        form["email"] = "named@example.org"
        #expect(try await nobody.send("POST", "set-up", form).status == 200)
        await cloud.stop()
    }

    @Test func whoNeedsASetUpIsToldSoAgainWhenTheLastOwnerHasGone() async throws {
        let place = try await ConsolePlace()
        for _ in 0..<2 { #expect(try await place.nobody.get("session").json["needsSetUp"] as? Bool == false) }
        try await place.cloud.service.removeDeveloper(email: "owner@example.org")
        for _ in 0..<2 { #expect(try await place.nobody.get("session").json["needsSetUp"] as? Bool == true) }
        await place.stop()
    }

    @Test func codesEndInTime() async throws {
        let place = try await ConsolePlace()
        let code = try await place.cloud.service.inviteOwner(by: "test")
        let form = ["code": code, "email": "late@example.org", "name": "L", "password": ConsolePlace.password]
        place.cloud.advance(minutes: 24 * 60)
        #expect(try await place.nobody.send("POST", "set-up", form).status == 404)
        let session = try await place.nobody.send(
            "POST", "sign-in", ["email": "owner@example.org", "password": ConsolePlace.password])
        let owner = ConsolePlace.Browser(client: place.cloud.client, session: ConsolePlace.Browser.session(in: session))
        let invitation = try await owner.send(
            "POST", "c/\(TestCloud.container)/team", ["email": "x@example.org", "role": "viewer"])
        let invited = try #require(invitation.json["code"] as? String)
        place.cloud.advance(minutes: 7 * 24 * 60)
        #expect(try await place.nobody.get("invitations/\(invited)").status == 404)
        await place.stop()
    }

    @Test("Threat 25: a wrong password tells nothing and is counted")
    func aWrongPasswordTellsNothingAndIsCounted() async throws {
        let place = try await ConsolePlace()
        let wrong = try await place.nobody.send(
            "POST", "sign-in", ["email": "owner@example.org", "password": "not this one"])
        let unknown = try await place.nobody.send(
            "POST", "sign-in", ["email": "nobody@example.org", "password": "not this one"])
        #expect(wrong.status == 401 && unknown.status == 401 && wrong.body == unknown.body)
        for _ in 1..<ServiceLimits.failedSignIns {
            _ = try await place.nobody.send(
                "POST", "sign-in", ["email": "owner@example.org", "password": "not this one"])
        }
        let right = try await place.nobody.send(
            "POST", "sign-in", ["email": "owner@example.org", "password": ConsolePlace.password])
        #expect(right.status == 429 && right["Retry-After"] != nil)
        // A person's account of the same address is another one.
        #expect(try await place.cloud.call("GET", "public/users/caller").status == 421)
        await place.stop()
    }

    @Test func peoplesAccountsDoNotOpenTheConsoleNorDevelopersThePlaceOfPeople() async throws {
        let place = try await ConsolePlace()
        let person = try await place.nobody.send(
            "POST", "sign-in", ["email": TestCloud.email, "password": TestCloud.password])
        #expect(person.status == 401)
        await #expect(throws: CloudError.self) {
            _ = try await place.cloud.service.beginAccountSession(
                email: "owner@example.org", password: ConsolePlace.password, source: nil)
        }
        await place.stop()
    }

    @Test func sessionsEndInTimeAndWithTheSignOut() async throws {
        let place = try await ConsolePlace()
        let before = try #require(place.owner.session)
        // Whatever the browser brings, a sign-in makes another session.
        let answer = try await place.owner.send(
            "POST", "sign-in", ["email": "owner@example.org", "password": ConsolePlace.password])
        let after = try #require(ConsolePlace.Browser.session(in: answer))
        #expect(after != before)
        let second = ConsolePlace.Browser(client: place.cloud.client, session: after)
        #expect(try await place.owner.send("POST", "sign-out", [:]).status == 200)
        #expect(try await place.owner.get("containers").status == 401)
        #expect(try await second.get("containers").status == 200)
        place.cloud.advance(minutes: DeveloperLimits.sessionLifetime / 60_000 - 1)
        #expect(try await second.get("containers").status == 200)
        place.cloud.advance(minutes: 1)
        #expect(try await second.get("containers").status == 401)
        await place.stop()
    }

    @Test func whoStaysSignedInIsSoForThirtyDaysUntilTheySignOut() async throws {
        let place = try await ConsolePlace()
        let words: [String: Any] = ["email": "owner@example.org", "password": ConsolePlace.password]
        let short = try await place.nobody.send("POST", "sign-in", words)
        #expect(try #require(short["Set-Cookie"]).contains("Max-Age") == false)
        let stay = words.merging(["staysSignedIn": true]) { $1 }
        let answer = try await place.nobody.send("POST", "sign-in", stay)
        let cookie = try #require(answer["Set-Cookie"])
        #expect(cookie.hasSuffix("; Max-Age=2592000; Path=/console; HttpOnly; SameSite=Strict"))
        let owner = ConsolePlace.Browser(client: place.cloud.client, session: ConsolePlace.Browser.session(in: answer))
        place.cloud.advance(minutes: DeveloperLimits.longSessionLifetime / 60_000 - 1)
        #expect(try await owner.get("containers").status == 200)
        // Another password leaves the browser signed in as it was.
        let changed = try await owner.send(
            "POST", "password", ["current": ConsolePlace.password, "new": "another password"])
        #expect(try #require(changed["Set-Cookie"]).contains("; Max-Age=2592000;"))
        #expect(try await owner.get("containers").status == 401)
        let fresh = ConsolePlace.Browser(
            client: place.cloud.client, session: ConsolePlace.Browser.session(in: changed))
        place.cloud.advance(minutes: DeveloperLimits.longSessionLifetime / 60_000 - 1)
        #expect(try await fresh.get("containers").status == 200)
        let gone = try await fresh.send("POST", "sign-out", [:])
        #expect(try #require(gone["Set-Cookie"]).contains("=; Max-Age=0;"))
        #expect(try await fresh.get("containers").status == 401)
        await place.stop()
    }

    @Test func aLongSessionEndsInTimeAndTheWishIsABoolean() async throws {
        let place = try await ConsolePlace()
        let words: [String: Any] = ["email": "owner@example.org", "password": ConsolePlace.password]
        let wrong = try await place.nobody.send(
            "POST", "sign-in", words.merging(["staysSignedIn": "yes"]) { $1 })
        #expect(wrong.status == 400 && wrong["Set-Cookie"] == nil)
        let answer = try await place.nobody.send(
            "POST", "sign-in", words.merging(["staysSignedIn": true]) { $1 })
        let owner = ConsolePlace.Browser(client: place.cloud.client, session: ConsolePlace.Browser.session(in: answer))
        place.cloud.advance(minutes: DeveloperLimits.longSessionLifetime / 60_000)
        #expect(try await owner.get("containers").status == 401)
        await place.stop()
    }

    @Test func onlySoManySessionsAtATime() async throws {
        let place = try await ConsolePlace()
        for _ in 0..<DeveloperLimits.sessions {
            #expect(try await place.owner.get("containers").status == 200)
            place.cloud.clock.withLock { $0 += 1 }
            _ = try await place.nobody.send(
                "POST", "sign-in", ["email": "owner@example.org", "password": ConsolePlace.password])
        }
        #expect(try await place.owner.get("containers").status == 401)
        await place.stop()
    }

    @Test func anotherPasswordEndsAllOtherSessions() async throws {
        let place = try await ConsolePlace()
        let wrong = try await place.owner.send("POST", "password", ["current": "wrong one", "new": "another password"])
        #expect(wrong.status == 401)
        let answer = try await place.owner.send(
            "POST", "password", ["current": ConsolePlace.password, "new": "another password"])
        #expect(answer.status == 200)
        #expect(try await place.owner.get("containers").status == 401)
        let fresh = ConsolePlace.Browser(client: place.cloud.client, session: ConsolePlace.Browser.session(in: answer))
        #expect(try await fresh.get("containers").status == 200)
        try await place.cloud.service.setDeveloperPassword(email: "owner@example.org", password: "by the operator")
        #expect(try await fresh.get("containers").status == 401)
        await place.stop()
    }

    @Test("Threat 23: who is removed is out at once")
    func whoIsRemovedIsOutAtOnce() async throws {
        let place = try await ConsolePlace()
        let admin = try await place.developer("admin", email: "admin@example.org")
        #expect(try await admin.get("c/\(TestCloud.container)/team").status == 200)
        try await place.cloud.service.removeDeveloper(email: "Admin@example.org")
        #expect(try await admin.get("c/\(TestCloud.container)/team").status == 401)
        let team = try await place.owner.get("c/\(TestCloud.container)/team")
        #expect((team.json["members"] as? [[String: Any]])?.count == 1)
        await place.stop()
    }

    @Test("Threat 27: secrets lie nowhere, and are in no log")
    func secretsLieNowhere() async throws {
        let place = try await ConsolePlace()
        let session = try #require(place.owner.session)
        let invitation = try await place.owner.send(
            "POST", "c/\(TestCloud.container)/team", ["email": "x@example.org", "role": "viewer"])
        let code = try #require(invitation.json["code"] as? String)
        _ = try await place.nobody.get("invitations/\(code)")
        let secret = try #require(Hex.decode(String(session.dropFirst(32))))
        let stored = try await place.storedBytes()
        #expect(!stored.contains(secret) && !stored.contains(Array(session.utf8)))
        #expect(!stored.contains(Array(code.utf8)) && !stored.contains(Array(code.replacing("-", with: "").utf8)))
        #expect(!stored.contains(Array(ConsolePlace.password.utf8)))
        let log = await place.cloud.log.text()
        #expect(log.contains("/console/api/invitations/:code"))
        for word in [session, code, ConsolePlace.password, "owner@example.org", "x@example.org"] {
            #expect(!log.contains(word))
        }
        await place.stop()
    }

    @Test func overTLSTheCookieIsForTLSOnly() {
        let cookie = SessionCookie(.console, isSecure: true).setting("x").1
        #expect(cookie == "__Secure-stratus-console=x; Path=/console; HttpOnly; SameSite=Strict; Secure")
    }
}
