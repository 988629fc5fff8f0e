import Foundation
import StratusTestSupport
import Testing

/// Credentials, sign-in and the users' own records.
@Suite("Accounts")
struct AccountTests {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("Accounts") }

    private let actions: [(String, JSON)] = [
        ("records/query", ["query": ["recordType": "Note"]]), ("records/lookup", ["records": [["recordName": "a"]]]),
        ("records/modify", ["operations": []]), ("zones/list", [:]), ("zones/lookup", ["zones": []]),
        ("zones/modify", ["operations": []]),
    ]

    @Test(
        "Cases 100 and 102: without a user the private and shared databases need one", arguments: ["private", "shared"])
    func case102(scope: String) async throws {
        for (action, body) in actions {
            let answer = try await tenant.database(scope, .apiToken(tenant.apiToken)).post(action, body)
            expectRefused(answer, 421, "AUTHENTICATION_REQUIRED")
            let redirect = answer.json["redirectURL"].string ?? ""
            #expect(redirect.hasPrefix(tenant.cloud.server.url), "\(answer)")
        }
    }

    @Test("Case 102: users/caller without a user needs one, and says where to sign in")
    func case102Caller() async throws {
        let answer = try await tenant.anonymousDatabase.get("users/caller")
        expectRefused(answer, 421, "AUTHENTICATION_REQUIRED", "request needs authorization")
        let redirect = try #require(answer.json["redirectURL"].string)
        let page = try await tenant.database("public", .none).send(
            "GET", path: String(redirect.dropFirst(tenant.cloud.server.url.count)))
        #expect(page.status == 200)
        #expect(page.headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(!page.text.contains(tenant.apiToken), "the sign-in page shows the API token")
    }

    @Test("Case 102: an expired or unknown web auth token asks for a new sign-in")
    func unknownWebAuthToken() async throws {
        let token = tenant.alice.webAuthToken
        let damaged = String(token.dropLast(2)) + (token.lowercased().hasSuffix("aa") ? "BB" : "AA")
        for text in [damaged, String(token.dropLast(20)), Unique.name("nothing"), token + token] {
            let database = tenant.database("public", .user(apiToken: tenant.apiToken, webAuthToken: text))
            let answer = try await database.get("users/caller")
            expectRefused(answer, 421, "AUTHENTICATION_REQUIRED")
            #expect(answer.json["redirectURL"].string != nil)
        }
    }

    @Test("Case 103: wrong API tokens, and none, are refused everywhere", arguments: ["public", "private", "shared"])
    func case103(scope: String) async throws {
        let wrong = [
            String(repeating: "0", count: 64), String(tenant.apiToken.dropLast()), tenant.apiToken + "0", "", "x",
            tenant.productionToken,
        ]
        let credentials = [Credential.none] + wrong.map { Credential.apiToken($0) }
        for credential in credentials {
            for (action, body) in actions {
                let answer = try await tenant.database(scope, credential).post(action, body)
                expectRefused(answer, 401, "AUTHENTICATION_FAILED")
            }
        }
    }

    @Test("Case 106: a web auth token is renewed with each answer, and the old ones stay good")
    func case106() async throws {
        let first = tenant.alice.webAuthToken
        var tokens = [first]
        for _ in 0..<3 {
            let credential = Credential.user(apiToken: tenant.apiToken, webAuthToken: tokens[tokens.count - 1])
            let answer = try await tenant.database("private", credential).get("zones/list")
            #expect(answer.status == 200, "\(answer)")
            let new = try #require(answer.headers["X-Apple-CloudKit-Web-Auth-Token"])
            #expect(answer.headers["X-Apple-CloudKit-Session"] == new)
            tokens.append(new)
        }
        #expect(Set(tokens).count == tokens.count)
        for token in tokens {
            // Cookies and one client's header reader allow no more.
            #expect(token.count >= 100 && token.utf8.count < 4_000)
            #expect(!token.contains { ";, \"".contains($0) })
            let credential = Credential.user(apiToken: tenant.apiToken, webAuthToken: token)
            let caller = try await tenant.database("public", credential).get("users/caller")
            #expect(caller.json["userRecordName"].string == tenant.alice.userRecordName, "\(caller)")
        }
    }

    @Test("Case 106: parallel requests with one token all succeed")
    func parallelTokens() async throws {
        let database = tenant.privateDatabase
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<24 { group.addTask { try await database.get("zones/list").status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 24))
    }

    @Test("Case 107: in the public database only the creator writes a record")
    func case107() async throws {
        let record = try await tenant.publicDatabase.save(
            Change.create("Post", Unique.name("r"), Fields.untyped(["a": 1])))
        let changes = [Change.update(record, Fields.untyped(["a": 2])), Change.delete(record)]
        for change in changes {
            let item = try await tenant.bobsPublicDatabase.modify([change]).records.first ?? .absent
            expectFailed(item, "ACCESS_DENIED", "WRITE operation not permitted")
        }
        try await expectUnchanged(record, in: tenant.bobsPublicDatabase)
        let updated = try await tenant.publicDatabase.save(changes[0])
        #expect(updated.value("a") == 2)
    }

    @Test("Case 108: without a user the public database can be read and not written")
    func case108() async throws {
        let type = Unique.name("Post")
        let record = try await tenant.publicDatabase.save(
            Change.create(type, Unique.name("r"), Fields.untyped(["a": 1])))
        let database = tenant.anonymousDatabase
        try await expectUnchanged(record, in: database)
        #expect(try await database.queryAll(type).map(\.name) == [record.name])
        let refused = try await database.modify([Change.create(type, Unique.name("r"))])
        expectRefused(refused, 421, "AUTHENTICATION_REQUIRED")
        #expect(refused.json["redirectURL"].string != nil, "so that a page can offer to sign in")
    }

    @Test("users/caller and users/current name the caller, in every database's path")
    func caller() async throws {
        let alice = tenant.alice.userRecordName
        #expect(alice.count == 33 && alice.hasPrefix("_"))
        #expect(alice.dropFirst().allSatisfy { "0123456789abcdef".contains($0) })
        for scope in ["public", "private", "shared"] {
            let database = tenant.database(scope, tenant.credential(of: tenant.alice))
            let current = try await database.get("users/current")
            #expect(current.json["userRecordName"].string == alice, "\(current)")
        }
        let caller = try await tenant.publicDatabase.get("users/caller")
        #expect(caller.json["userRecordName"].string == alice, "\(caller)")
        #expect(caller.json["users"][0]["userRecordName"].string == alice, "\(caller)")
        #expect(!caller.text.contains("@"), "an e-mail address in \(caller)")
        #expect(tenant.bob.userRecordName != alice)
    }

    @Test("A user's name differs between environments and containers")
    func namesAreScoped() async throws {
        let other = try await Tenant.shared("Saving").container
        let production = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container, "production")
        let elsewhere = try await tenant.cloud.makeSession(tenant.alice.email, other)
        let again = try await tenant.cloud.makeSession(tenant.alice.email, tenant.container)
        #expect(again.userRecordName == tenant.alice.userRecordName)
        let names = [tenant.alice.userRecordName, production.userRecordName, elsewhere.userRecordName]
        #expect(Set(names).count == 3)
    }

    @Test("A user's own record can be read by all and written by its user, never made or deleted")
    func usersRecord() async throws {
        let alice = tenant.alice.userRecordName
        let record = try await tenant.publicDatabase.find(alice)
        #expect(record["recordType"] == "Users", "\(record)")
        let fields = Fields.untyped(["nickname": .string(Unique.name("nick"))])
        let mine = try await tenant.publicDatabase.save(Change.update(record, fields))
        let attempts = [
            Change.update(mine, Fields.untyped(["nickname": "x"])), Change.forceUpdate("Users", alice, [:]),
            Change.forceReplace("Users", alice, [:]), Change.delete(mine), Change.forceDelete(alice),
        ]
        for change in attempts {
            let item = try await tenant.bobsPublicDatabase.modify([change]).records.first ?? .absent
            expectFailed(item, "ACCESS_DENIED")
        }
        for change in [Change.delete(mine), Change.forceDelete(alice), Change.create("Users", Unique.name("u"))] {
            let item = try await tenant.publicDatabase.modify([change]).records.first ?? .absent
            expectFailed(item, "ACCESS_DENIED")
        }
        try await expectUnchanged(mine, in: tenant.anonymousDatabase)
    }

    @Test("Case 111: unknown paths, methods and containers get an error dictionary")
    func unknownPaths() async throws {
        let database = tenant.publicDatabase
        for action in ["records/nothing", "nothing", "records", "records/query/more"] {
            let answer = try await database.post(action, [:])
            #expect((400..<500).contains(answer.status), "\(answer)")
            for key in ["uuid", "serverErrorCode", "reason"] { #expect(answer.json[key].string != nil, "\(answer)") }
        }
        var wrong = database
        for container in ["iCloud.org.example.absent", "not-a-container", "iCloud."] {
            wrong.container = container
            let answer = try await wrong.get("zones/list")
            #expect(answer.status == 401 || answer.status == 400, "\(answer)")
            #expect(answer.json["serverErrorCode"].string != nil, "\(answer)")
        }
        for path in ["/database/2/", "/database/1/"] {
            let answer = try await database.send(
                "POST", path: path + "\(tenant.container)/nowhere/public/records/query")
            #expect((400..<500).contains(answer.status), "\(answer)")
        }
    }
}
