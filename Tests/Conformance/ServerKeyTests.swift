import Foundation
import StratusCloudCrypto
import StratusCloudModel
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Server-to-server signatures.
@Suite("Server-to-server keys")
struct ServerKeyTests {
    let tenant: Tenant
    let id: String
    let key: P256PrivateKey

    init() async throws {
        tenant = try await Tenant.shared("Server keys")
        guard case .key(let id, let key) = tenant.key else { throw Tool.Failure(description: "no key") }
        (self.id, self.key) = (id, key)
    }

    /// The public database without credentials of its own: signatures are added by hand.
    private var bare: Database { tenant.database("public", .none) }

    private func post(
        _ path: String, query: [String] = [], signedPath: String? = nil, body: [UInt8], signedBody: [UInt8]? = nil,
        date: String = Signature.date(), change: (inout Signature) -> Void = { _ in }
    ) async throws -> Answer {
        var signature = try Signature(
            keyID: id, key: key, path: signedPath ?? path, body: signedBody ?? body, date: date)
        change(&signature)
        return try await bare.send("POST", path: path, query: query, headers: signature.headers, body: body)
    }

    private func creation(_ name: String = Unique.name("r")) -> [UInt8] {
        Array(JSON(dictionaryLiteral: ("operations", [Change.create("Signed", name)])).text.utf8)
    }

    @Test("Case 104: a signed request acts as the key's own user")
    func case104() async throws {
        let answer = try await post(bare.path("records/modify"), body: creation())
        let record = expectSaved(answer, count: 1).first ?? .absent
        let user = record["created"]["userRecordName"].string ?? ""
        expectComplete(record, by: user)
        #expect(user.hasPrefix("_") && user.count == 33)
        #expect(![tenant.alice.userRecordName, tenant.bob.userRecordName].contains(user))
    }

    @Test("Case 104: the query string may be signed with the path, or left out")
    func signedQuery() async throws {
        let path = bare.path("records/modify")
        let query = ["ckjsBuildVersion=1", "ckjsVersion=2.6.1", "clientId=6ca3b1b7-0e4d-4c7e-bb0f-2b2f1e3fd5d2"]
        let withQuery = path + "?" + query.joined(separator: "&")
        expectSaved(try await post(path, query: query, signedPath: withQuery, body: creation()), count: 1)
        expectSaved(try await post(path, query: query, body: creation()), count: 1)
    }

    @Test("Case 104: an empty body is signed by its hash or as an empty text")
    func emptyBody() async throws {
        let path = bare.path("zones/list")
        for hash in [Base64.string(SHA256.hash([])), ""] {
            var signature = try Signature(keyID: id, key: key, path: path, body: [])
            signature.value = Base64.string(try key.sign(Array("\(signature.date):\(hash):\(path)".utf8)))
            let answer = try await bare.send("GET", path: path, headers: signature.headers)
            #expect(answer.status == 200, "\(answer)")
        }
    }

    @Test("Case 104: a path with doubled slashes or percent signs is signed as sent, or decoded")
    func oddPaths() async throws {
        let tail = "/\(tenant.container)/development//public/records/modify"
        expectSaved(try await post("/database/1" + tail, body: creation()), count: 1)
        let encoded = "/database/1" + tail.replacingOccurrences(of: "iCloud.", with: "iCloud%2E")
        expectSaved(try await post(encoded, body: creation()), count: 1)
        expectSaved(try await post(encoded, signedPath: "/database/1" + tail, body: creation()), count: 1)
    }

    @Test("Case 104: a signature made by OpenSSL's tool is good")
    func opensslSignature() async throws {
        let directory = try TemporaryDirectory()
        let (keyFile, message) = (directory.path + "/key.pem", directory.path + "/message")
        try key.pem().write(toFile: keyFile, atomically: true, encoding: .utf8)
        let (path, body, date) = (bare.path("records/modify"), creation(), Signature.date())
        try "\(date):\(Base64.string(SHA256.hash(body))):\(path)".write(
            toFile: message, atomically: true, encoding: .utf8)
        let signer = try ChildProcess(
            "/bin/sh", ["-c", "openssl dgst -sha256 -sign \"$0\" \"$1\" | base64 -w0", keyFile, message])
        let value = await signer.standardOutput
        #expect(await signer.ending == .exited(0))
        expectSaved(try await post(path, body: body, date: date) { $0.value = value }, count: 1)
    }

    @Test("Case 103: every way a signature can be wrong is refused alike, and nothing is written")
    func wrongSignatures() async throws {
        let path = bare.path("records/modify")
        let stranger = try P256PrivateKey.generate()
        let changes: [(String, @Sendable (inout Signature) throws -> Void)] = [
            ("unknown key", { $0.keyID = String(repeating: "0", count: 64) }), ("no key", { $0.keyID = "" }),
            ("another date", { $0.date = Signature.date(offset: 5) }), ("no signature", { $0.value = "" }),
            ("no base64", { $0.value = "***" }),
            ("no DER", { $0.value = Base64.string(Array(repeating: 7, count: 64)) }),
            ("a bit flipped", { $0.value = Self.flipped($0.value) }),
            ("a date in other words", { $0.date = "yesterday" }),
        ]
        var reasons: Set<String?> = []
        for (word, change) in changes {
            let name = Unique.name("r")
            var signature = try Signature(keyID: id, key: key, path: path, body: creation(name))
            try change(&signature)
            let answer = try await bare.send("POST", path: path, headers: signature.headers, body: creation(name))
            #expect(answer.status == 401 && answer.code == "AUTHENTICATION_FAILED", "\(word): \(answer)")
            reasons.insert(answer.json["reason"].string)
            try await expectAbsent(name, in: tenant.anonymousDatabase)
        }
        let others: [Answer] = [
            try await post(path, body: creation(), signedBody: creation()),
            try await post(path, signedPath: bare.path("records/lookup"), body: creation()),
            try await post(path, body: creation(), date: Signature.date(offset: -660)),
            try await post(path, body: creation(), date: Signature.date(offset: 660)),
            try await bare.send(
                "POST", path: path, headers: try Signature(keyID: id, key: stranger, path: path, body: []).headers),
        ]
        for answer in others {
            expectRefused(answer, 401, "AUTHENTICATION_FAILED")
            reasons.insert(answer.json["reason"].string)
        }
        #expect(reasons.count == 1, "reasons tell which part was wrong: \(reasons)")
    }

    private static func flipped(_ base64: String) -> String {
        var bytes = Base64.decode(base64) ?? []
        if let last = bytes.indices.last { bytes[last] ^= 1 }
        return Base64.string(bytes)
    }

    @Test("A signed date may be off by less than ten minutes")
    func window() async throws {
        for offset in [-540.0, 540] {
            let date = Signature.date(offset: offset)
            expectSaved(try await post(bare.path("records/modify"), body: creation(), date: date), count: 1)
        }
    }

    @Test("A writing request cannot be replayed, in either form of its signature")
    func replay() async throws {
        let path = bare.path("records/modify")
        let body = Array(
            JSON(dictionaryLiteral: ("operations", [Change.forceUpdate("Signed", Unique.name("r"), [:])])).text.utf8)
        let signature = try Signature(keyID: id, key: key, path: path, body: body)
        let first = try await bare.send("POST", path: path, headers: signature.headers, body: body)
        let record = expectSaved(first, count: 1).first ?? .absent
        let second = try await bare.send("POST", path: path, headers: signature.headers, body: body)
        expectRefused(second, 401, "AUTHENTICATION_FAILED")
        try await expectUnchanged(record, in: tenant.anonymousDatabase)
    }

    @Test("Case 105: a key opens neither private nor shared databases", arguments: ["private", "shared"])
    func case105(scope: String) async throws {
        let database = tenant.database(scope, tenant.key)
        let bodies: [(String, JSON)] = [
            ("records/query", ["query": ["recordType": "Note"]]), ("records/lookup", ["records": []]),
            ("records/modify", ["operations": [Change.create("Note")]]), ("zones/list", [:]),
            ("zones/lookup", ["zones": []]), ("zones/modify", ["operations": []]),
        ]
        for (action, body) in bodies { expectRefused(try await database.post(action, body), 403, "ACCESS_DENIED") }
    }

    @Test("CloudKit JS's setUpAuth resolves with a key: users/caller and users/current tell the key's own user")
    func ownUser() async throws {
        let record = expectSaved(try await post(bare.path("records/modify"), body: creation()), count: 1).first
        let user = record?["created"]["userRecordName"].string
        for (action, query) in [("users/caller", ["ckjsBuildVersion=1", "ckjsVersion=2.6.1"]), ("users/current", [])] {
            let path = bare.path(action)
            let signed = query.isEmpty ? path : path + "?" + query.joined(separator: "&")
            let signature = try Signature(keyID: id, key: key, path: signed, body: [])
            let answer = try await bare.send("GET", path: path, query: query, headers: signature.headers)
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.json["userRecordName"].string == user && user != nil, "\(answer)")
            #expect(!answer.json["lookupInfo"].isPresent && !answer.json["nameComponents"].isPresent, "\(answer)")
        }
    }

    @Test("A key finds people who may be found, as in Apple's own signed example")
    func people() async throws {
        let (found, hidden) = (Unique.name("found") + "@example.org", Unique.name("hidden") + "@example.org")
        for email in [found, hidden] {
            try await tenant.cloud.makeAccount(email, password: "correct horse")
            _ = try await tenant.cloud.makeSession(email, tenant.container)
        }
        _ = try await tenant.cloud.tool([
            "account", "discover", "--email", found, "--allow", "on", "--container", tenant.container,
            "--environment", "development",
        ])
        let emails: JSON = [["emailAddress": .string(found)], ["emailAddress": .string(hidden)]]
        for (action, list) in [("users/lookup/email", "users"), ("users/discover", "lookupInfos")] {
            let body = Array(JSON(dictionaryLiteral: (list, emails)).text.utf8)
            let answer = try await post(bare.path(action), body: body)
            #expect(answer.status == 200 && answer.json["users"].array?.count == 1, "\(answer)")
            #expect(answer.json["users"][0]["userRecordName"].string?.hasPrefix("_") == true, "\(answer)")
        }
        let signed = tenant.database("public", tenant.key)
        #expect(try await signed.get("users/discover").json == ["users": []])
        expectRefused(
            try await signed.post("users/lookup/contacts", ["contactHashes": []]), 403, "ACCESS_DENIED", "need a user")
        expectRefused(try await signed.post("users/token", ["apiToken": "x"]), 403, "ACCESS_DENIED", "need a user")
    }

    @Test("A key does not mix with an API token")
    func mixed() async throws {
        let name = Unique.name("r")
        for credential in [Credential.apiToken(tenant.apiToken), tenant.credential(of: tenant.alice)] {
            let path = bare.path("records/modify")
            let signature = try Signature(keyID: id, key: key, path: path, body: creation(name))
            let answer = try await tenant.database("public", credential).send(
                "POST", path: path, headers: signature.headers, body: creation(name))
            #expect(answer.status == 400 || answer.status == 401, "\(answer)")
            #expect(["BAD_REQUEST", "AUTHENTICATION_FAILED"].contains(answer.code), "\(answer)")
        }
        try await expectAbsent(name, in: tenant.anonymousDatabase)
    }

    @Test("A key is good in its own environment and container only")
    func elsewhere() async throws {
        var production = tenant.database("public", tenant.key)
        production.environment = "production"
        expectRefused(try await production.get("zones/list"), 401, "AUTHENTICATION_FAILED")
        var other = tenant.database("public", tenant.key)
        other.container = try await Tenant.shared("Saving").container
        expectRefused(try await other.get("zones/list"), 401, "AUTHENTICATION_FAILED")
    }
}
