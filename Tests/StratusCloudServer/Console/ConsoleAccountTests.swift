import Foundation
import StratusCloudModel
import StratusCloudService
import StratusCloudStore
import Testing

@testable import StratusCloudServer

/// A developer's own cloud account: who sees its private data in the console, and who does not.
@Suite struct ConsoleAccountTests {
    private static let proof = ["email": TestCloud.email, "password": TestCloud.password]

    /// A cloud where a person has kept something private.
    private func place() async throws -> ConsolePlace {
        let place = try await ConsolePlace()
        try await save("d", "hush", in: place)
        return place
    }

    /// What the person's app does.
    private func save(_ name: String, _ text: String, in place: ConsolePlace) async throws {
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: Body.save("Diary", name, ["text": text])),
            as: UTF8.self)
        let answer = try await place.cloud.call(
            "POST", "private/records/modify", token: try await place.cloud.webAuthToken(), body: body)
        try #require(answer.status == 200, "\(answer.body)")
    }

    private func sees(_ name: String, _ browser: ConsolePlace.Browser) async throws -> Bool {
        let answer = try await browser.ck("records/lookup", Body.lookUp(name), in: "private")
        try #require(answer.status == 200, "\(answer.body)")
        return answer.records.first?["fields"] != nil
    }

    private func linked(_ browser: ConsolePlace.Browser) async throws -> String? {
        let answer = try await browser.get("account")
        try #require(answer.status == 200, "\(answer.body)")
        return (answer.json["account"] as? [String: Any])?["email"] as? String
    }

    @Test func theirPrivateDataAreThoseOfTheAccountTheyLink() async throws {
        let place = try await place()
        let developer = try await place.developer("developer", email: "dora@example.net")
        _ = try await developer.ck("records/modify", Body.save("Diary", "of the console"), in: "private")
        #expect(try await linked(developer) == nil)
        #expect(try await !sees("d", developer))
        let answer = try await developer.send("POST", "account", Self.proof)
        #expect(answer.status == 200, "\(answer.body)")
        let account = answer.json["account"] as? [String: Any]
        #expect(account?["email"] as? String == TestCloud.email)
        #expect(account?["since"] as? Int64 == TestCloud.start)
        #expect(try await linked(developer) == TestCloud.email)
        #expect(try await sees("d", developer))
        #expect(try await !sees("of the console", developer))
        let export = try await developer.get("c/\(TestCloud.container)/development/export?database=private")
        #expect(export.body.contains("\"recordName\":\"d\""))
        // Who asks what is kept of them is told of it.
        let consoles = try await place.cloud.service.person(email: TestCloud.email).consoles
        #expect(consoles.map(\.developer) == ["dora@example.net"] && consoles.map(\.since) == [TestCloud.start])
        // One person in the app and in the console.
        let person = try await place.cloud.service.userRecordName(email: TestCloud.email, in: TestCloud.context())
        let caller = try await developer.ck("users/caller", [:])
        #expect(caller.json["userRecordName"] as? String == person)
        _ = try await developer.ck("records/modify", Body.save("Diary", "e"), in: "private")
        let token = try await place.cloud.webAuthToken()
        let lookUp = String(
            decoding: try JSONSerialization.data(withJSONObject: Body.lookUp("e")), as: UTF8.self)
        let found = try await place.cloud.call("POST", "private/records/lookup", token: token, body: lookUp)
        #expect(found.records.first?["fields"] != nil, "\(found.body)")
        // Without it all is as before.
        #expect(try await developer.send("DELETE", "account", [:]).status == 200)
        #expect(try await linked(developer) == nil)
        #expect(try await !sees("d", developer))
        #expect(try await sees("of the console", developer))
        await place.stop()
    }

    @Test("Threats 1, 2 and 19: an address shows nothing, and what one developer has shown is no other's")
    func nobodyElseSeesTheAccount() async throws {
        let place = try await place()
        let namesake = try await place.developer("developer", email: TestCloud.email)
        #expect(try await linked(namesake) == nil)
        #expect(try await !sees("d", namesake))
        let developer = try await place.developer("developer")
        #expect(try await developer.send("POST", "account", Self.proof).status == 200)
        for browser in [namesake, place.owner] {
            #expect(try await linked(browser) == nil)
            #expect(try await !sees("d", browser))
        }
        #expect(try await place.nobody.send("POST", "account", Self.proof).status == 401)
        await place.stop()
    }

    @Test func aWrongPasswordLinksNothing() async throws {
        let place = try await place()
        let wrong = try await place.owner.send(
            "POST", "account", ["email": TestCloud.email, "password": ConsolePlace.password])
        let unknown = try await place.owner.send(
            "POST", "account", ["email": "nobody@example.org", "password": ConsolePlace.password])
        #expect(wrong.error == "AUTHENTICATION_FAILED" && wrong.status == unknown.status)
        #expect(wrong.json["reason"] as? String == unknown.json["reason"] as? String)
        // The console's own password is no account's.
        let own = try await place.owner.send(
            "POST", "account", ["email": "owner@example.org", "password": ConsolePlace.password])
        #expect(own.error == "AUTHENTICATION_FAILED")
        #expect(try await place.owner.send("POST", "account", ["email": TestCloud.email]).status == 400)
        #expect(try await linked(place.owner) == nil)
        #expect(try await !sees("d", place.owner))
        let made = try await place.owner.send(
            "POST", "c/\(TestCloud.container)/development/test-accounts", ["email": "tess@example.test"])
        let password = try #require(made.json["password"] as? String)
        let test = try await place.owner.send(
            "POST", "account", ["email": "tess@example.test", "password": password])
        #expect(test.status == 400 && test.error == "BAD_REQUEST", "\(test.body)")
        #expect(try await linked(place.owner) == nil)
        await place.stop()
    }

    @Test func guessesAreLimited() async throws {
        let place = try await place()
        for number in 0..<ServiceLimits.failedSignIns {
            let guess = ["email": TestCloud.email, "password": "guess number \(number)"]
            #expect(try await place.owner.send("POST", "account", guess).error == "AUTHENTICATION_FAILED")
        }
        let refused = try await place.owner.send("POST", "account", Self.proof)
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        #expect(try await linked(place.owner) == nil)
        await place.stop()
    }

    @Test func anotherLinkTakesThePlaceOfTheOneBefore() async throws {
        let place = try await place()
        let other = ["email": "grace@example.org", "password": "another long password"]
        try await place.cloud.service.createAccount(email: other["email"] ?? "", password: other["password"] ?? "")
        #expect(try await place.owner.send("POST", "account", Self.proof).status == 200)
        #expect(try await place.owner.send("POST", "account", other).status == 200)
        #expect(try await linked(place.owner) == "grace@example.org")
        #expect(try await !sees("d", place.owner))
        await place.stop()
    }

    @Test func theLinkEndsWhenTheAccountSignsOutEverywhere() async throws {
        let place = try await place()
        let service = place.cloud.service
        func holder() async throws -> AccountHolder {
            let session = try await service.beginAccountSession(
                email: TestCloud.email, password: TestCloud.password, source: nil)
            return try #require(try await service.accountHolder(session: session))
        }
        #expect(try await place.owner.send("POST", "account", Self.proof).status == 200)
        try await service.endAllSessions(of: try await holder())
        #expect(try await linked(place.owner) == nil)
        #expect(try await !sees("d", place.owner))
        #expect(try await place.owner.send("POST", "account", Self.proof).status == 200)
        _ = try await service.changePassword(
            from: TestCloud.password, to: "a password of tomorrow", for: try await holder(), source: nil)
        #expect(try await linked(place.owner) == nil)
        #expect(try await !sees("d", place.owner))
        await place.stop()
    }

    @Test func theLinkEndsWithThePasswordThatTheOperatorGivesADeveloper() async throws {
        let place = try await place()
        let email = "developer@example.net"
        let developer = try await place.developer("developer", email: email)
        #expect(try await developer.send("POST", "account", Self.proof).status == 200)
        // Who changes it with the one before is the same person.
        let own = "a password of their own"
        let refused = try await developer.send("POST", "password", ["current": "a guess", "new": own])
        #expect(refused.status == 401 && refused.body.contains("the current password is wrong"), "\(refused.body)")
        let changed = try await developer.send("POST", "password", ["current": ConsolePlace.password, "new": own])
        let again = ConsolePlace.Browser(
            client: place.cloud.client, session: ConsolePlace.Browser.session(in: changed))
        #expect(try await linked(again) == TestCloud.email)
        try await place.cloud.service.setDeveloperPassword(email: email, password: "handed to somebody")
        let session = try await place.cloud.service.signInDeveloper(
            email: email, password: "handed to somebody", source: nil)
        let somebody = ConsolePlace.Browser(client: place.cloud.client, session: session)
        #expect(try await linked(somebody) == nil)
        #expect(try await !sees("d", somebody))
        await place.stop()
    }

    @Test func anExportBreaksOffWithTheLink() async throws {
        let place = try await place()
        #expect(try await place.owner.send("POST", "account", Self.proof).status == 200)
        let text = String(repeating: "long ", count: 60_000)
        for number in 10..<50 { try await save("d\(number)", text, in: place) }
        let address = "/console/api/c/\(TestCloud.container)/development/export?database=private"
        let cookie = ("Cookie", "stratus-console=\(place.owner.session ?? "")")
        func export(unlinking: Bool) async throws -> String {
            let reader = try await SlowReader(place.cloud.client, "GET", address, headers: [cookie])
            if unlinking { #expect(try await place.owner.send("DELETE", "account", [:]).status == 200) }
            return String(decoding: try await reader.rest(), as: UTF8.self)
        }
        let whole = try await export(unlinking: false)
        #expect(whole.contains("\"recordName\":\"d49\"") && whole.hasSuffix("\r\n0\r\n\r\n"))
        let part = try await export(unlinking: true)
        #expect(part.contains("\"recordName\":\"d10\"") && !part.contains("\"recordName\":\"d49\""))
        #expect(!part.hasSuffix("\r\n0\r\n\r\n"))
        await place.stop()
    }

    @Test func nothingOfALinkIsLeftOfWhoIsGone() async throws {
        let place = try await place()
        let before = try await place.storedBytes().count
        #expect(try await place.owner.send("POST", "account", Self.proof).status == 200)
        #expect(try await place.storedBytes().count > before)
        let developer = try await place.developer("developer", email: "developer@example.net")
        #expect(try await developer.send("POST", "account", Self.proof).status == 200)
        try await place.cloud.service.removeDeveloper(email: "developer@example.net")
        _ = try await place.cloud.service.eraseAccount(email: TestCloud.email, deletingPublicRecords: false)
        let links = try await place.cloud.store.read(Partition("directory")) { transaction in
            try transaction.entries(in: KeyRange(prefix: Key([0x57])), limit: .max).count
        }
        #expect(links == 0)
        #expect(try await linked(place.owner) == nil)
        #expect(try await !sees("d", place.owner))
        await place.stop()
    }
}
