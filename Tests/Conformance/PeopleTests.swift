import StratusCloudCrypto
import StratusCloudModel
import StratusTestSupport
import Testing

/// Looking for people, as the reference and the clients have it.
@Suite("People")
struct PeopleTests {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("People") }

    /// Somebody new, who may be found if `allow` says so.
    private func person(allow: Bool) async throws -> (email: String, phone: String, name: String) {
        let email = Unique.name("person") + "@example.org"
        let phone = "+999" + String(UInt64.random(in: 1_000_000_000...9_999_999_999))
        _ = try await tenant.cloud.tool(
            [
                "account", "create", "--email", email, "--password-stdin", "--phone", phone, "--given-name", "Ada",
                "--family-name", "Lovelace",
            ], input: "correct horse\n")
        let name = try await tenant.cloud.makeSession(email, tenant.container).userRecordName
        if allow { try await self.allow("on", email) }
        return (email, phone, name)
    }

    private func allow(_ choice: String, _ email: String) async throws {
        _ = try await tenant.cloud.tool([
            "account", "discover", "--email", email, "--allow", choice, "--container", tenant.container,
            "--environment", "development",
        ])
    }

    private var people: Database { tenant.publicDatabase }

    private func discover(_ lookups: JSON...) async throws -> Answer {
        try await people.post("users/discover", ["lookupInfos": .array(lookups)])
    }

    @Test("users/discover finds who wants to be found, in the order asked, with what found them")
    func discover() async throws {
        let person = try await person(allow: true)
        let lookups: [JSON] = [
            ["emailAddress": .string(person.email.uppercased())], ["phoneNumber": .string(person.phone)],
            ["userRecordName": .string(person.name)], ["emailAddress": "nobody@example.org"],
        ]
        let answer = try await people.post("users/discover", ["lookupInfos": .array(lookups)])
        #expect(answer.status == 200, "\(answer)")
        let users = answer.json["users"].array ?? []
        #expect(users.count == 3, "\(answer)")
        for (user, lookup) in zip(users, lookups) {
            #expect(user["userRecordName"].string == person.name)
            #expect(user["nameComponents"] == ["givenName": "Ada", "familyName": "Lovelace"])
            #expect(user["lookupInfo"] == lookup)
        }
        // By the record name nobody learns the address.
        #expect(users.last?.text.contains(person.email) == false)
    }

    @Test("Who has no account and who does not want to be found get the same answer, byte for byte but the request's")
    func hidden() async throws {
        let person = try await person(allow: false)
        let unknown = "_" + String(repeating: "0", count: 32)
        for (hidden, nobody) in [
            (JSON.string(person.email), "nobody@example.org"), (.string(person.phone), "+15550100"),
            (.string(person.name), .string(unknown)),
        ] as [(JSON, JSON)] {
            let key =
                hidden.string?.hasPrefix("_") == true
                ? "userRecordName"
                : hidden == .string(person.phone)
                    ? "phoneNumber" : "emailAddress"
            for (action, list) in [("users/discover", "lookupInfos"), ("users/lookup/" + Self.old(key), "users")] {
                let answers = try await [
                    people.post(action, JSON(dictionaryLiteral: (list, [JSON(dictionaryLiteral: (key, hidden))]))),
                    people.post(action, JSON(dictionaryLiteral: (list, [JSON(dictionaryLiteral: (key, nobody))]))),
                ]
                #expect(answers.map(\.status) == [200, 200], "\(answers)")
                #expect(answers[0].text == answers[1].text)
                #expect(answers[0].json == ["users": []])
                #expect(Set(answers[0].headers.map(\.name)) == Set(answers[1].headers.map(\.name)))
            }
        }
    }

    private static func old(_ key: String) -> String {
        switch key {
        case "emailAddress": "email"
        case "phoneNumber": "phone"
        default: "id"
        }
    }

    @Test("The older lookups answer in their own shape")
    func old() async throws {
        let person = try await person(allow: true)
        let base: JSON = [
            "userRecordName": .string(person.name), "firstName": "Ada", "lastName": "Lovelace",
        ]
        let email = try await people.post("users/lookup/email", ["users": [["emailAddress": .string(person.email)]]])
        #expect(email.json["users"] == [base.merging(["emailAddress": .string(person.email)])], "\(email)")
        let phone = try await people.post("users/lookup/phone", ["users": [["phoneNumber": .string(person.phone)]]])
        #expect(phone.json["users"] == [base.merging(["phoneNumber": .string(person.phone)])], "\(phone)")
        let id = try await people.post("users/lookup/id", ["users": [["userRecordName": .string(person.name)]]])
        #expect(id.json["users"] == [base], "\(id)")
    }

    @Test("Contacts are hashes; a GET and users/discover without lookups tell who of them may be found")
    func contacts() async throws {
        let person = try await person(allow: true)
        let hidden = try await self.person(allow: false)
        let first = try await people.get("users/lookup/contacts")
        #expect(first.status == 200 && first.json["users"].array != nil && first.json["contacts"].array != nil)
        let salt = try #require(first.json["contactSalt"].string.flatMap(Base64.decode))
        let hashes = [person.phone, hidden.email, "nobody@example.org"].map { text in
            JSON.string(Base64.string(SHA256.hash(salt + Array(text.utf8))))
        }
        let answer = try await people.post("users/lookup/contacts", ["contactHashes": .array(hashes)])
        let user: JSON = [
            "userRecordName": .string(person.name), "firstName": "Ada", "lastName": "Lovelace",
            "contactHash": hashes[0],
        ]
        #expect(answer.json["users"] == [user] && answer.json["contacts"] == [user], "\(answer)")
        #expect(try await people.get("users/lookup/contacts").json["users"] == [user])
        for all in [try await people.get("users/discover"), try await people.post("users/discover", [:])] {
            #expect(all.json["users"].array?.count == 1, "\(all)")
            #expect(all.json["users"].array?.first?["userRecordName"].string == person.name)
        }
        #expect(try await tenant.bobsPublicDatabase.get("users/discover").json == ["users": []])
        try await allow("off", person.email)
        #expect(try await people.get("users/discover").json == ["users": []])
    }

    @Test("users/caller and users/current show names only to who may be found")
    func caller() async throws {
        let hidden = try await person(allow: false)
        let session = try await tenant.cloud.makeSession(hidden.email, tenant.container)
        let own = tenant.database("public", .user(apiToken: tenant.apiToken, webAuthToken: session.webAuthToken))
        let name: JSON = ["userRecordName": .string(hidden.name)]
        #expect(try await own.get("users/caller").json == name.merging(["users": [name]]))
        #expect(try await own.get("users/current").json == name)
        try await allow("on", hidden.email)
        let caller = try await own.get("users/caller").json
        #expect(caller["nameComponents"]["givenName"].string == "Ada")
        #expect(caller["lookupInfo"]["emailAddress"].string == hidden.email)
        #expect(try await own.get("users/current").json["firstName"].string == "Ada")
    }

    @Test("Looking for people needs a user: a person or a key")
    func authorization() async throws {
        let actions: [(String, JSON)] = [
            ("users/discover", ["lookupInfos": []]), ("users/discover", [:]), ("users/lookup/email", ["users": []]),
            ("users/lookup/phone", ["users": []]), ("users/lookup/id", ["users": []]), ("users/lookup/contacts", [:]),
        ]
        for (action, body) in actions {
            let nobody = try await tenant.anonymousDatabase.post(action, body)
            expectRefused(nobody, 421, "AUTHENTICATION_REQUIRED")
            #expect(nobody.json["redirectURL"].string != nil)
            let key = try await tenant.database("public", tenant.key).post(action, body)
            #expect(key.status == 200 && key.json["users"] == [], "\(key)")
            expectRefused(try await tenant.database("public", .none).post(action, body), 401, "AUTHENTICATION_FAILED")
        }
    }

    @Test("What cannot be meant is refused by name")
    func badInput() async throws {
        expectRefused(try await discover(["name": "Ada"]), 400, "BAD_REQUEST", "lookupInfos[0]")
        expectRefused(try await discover(["emailAddress": 1]), 400, "BAD_REQUEST", "emailAddress")
        expectRefused(
            try await people.post("users/lookup/email", ["users": [["phoneNumber": "+1"]]]), 400, "BAD_REQUEST",
            "emailAddress")
        expectRefused(
            try await people.post("users/lookup/contacts", ["contactHashes": ["ada@example.org"]]), 400,
            "BAD_REQUEST", "contactHashes[0]")
        expectRefused(try await people.post("users/lookup/fax", ["users": []]), 404, "NOT_FOUND")
        expectRefused(try await people.post("users/lookup", ["users": []]), 404, "NOT_FOUND")
        expectRefused(try await people.get("users/lookup/email"), 405, "BAD_REQUEST", "GET")
        let many = (0..<201).map { JSON(dictionaryLiteral: ("emailAddress", .string("\($0)@example.org"))) }
        expectRefused(
            try await people.post("users/discover", ["lookupInfos": .array(many)]), 400, "BAD_REQUEST", "201", "200")
        let passing = try await people.post("users/discover", ["lookupInfos": .array(Array(many.prefix(200)))])
        #expect(passing.status == 200 && passing.json == ["users": []])
    }

    @Test("Clients that leave the database out, or send slashes twice, are understood")
    func shapes() async throws {
        let start = "/database/1/\(tenant.container)/development/"
        for path in [start + "users/discover", start + "/public/users//discover", start + "private/users/discover"] {
            let answer = try await people.send("GET", path: path)
            #expect(answer.status == 200 && answer.json["users"].array != nil, "\(answer)")
        }
    }
}
