import Foundation
import StratusTestSupport
import StratusWorkers
import Testing

/// Rates and quotas of servers that were started with some.
@Suite("Throttling")
struct ThrottlingTests {
    /// A tenant on a server of its own.
    private func tenant(_ arguments: String...) async throws -> Tenant {
        try await Tenant(in: try await Cloud(arguments: arguments))
    }

    private static let requestsOfFlood = 50

    /// Sends a request many times at once, so that the rate is exceeded however slow the machine is; gives a refusal and
    /// how many were answered.
    private func flood(_ send: @escaping @Sendable () async throws -> Answer) async throws -> (
        refusal: Answer?, answered: Int
    ) {
        try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<Self.requestsOfFlood { group.addTask { try await send() } }
            let answers = try await group.reduce(into: []) { $0.append($1) }
            let refusals = answers.filter { $0.status == 429 }
            return (refusals.first, answers.count - refusals.count)
        }
    }

    private func flood(_ database: Database) async throws -> (refusal: Answer?, answered: Int) {
        try await flood { try await database.get("users/caller") }
    }

    private func expectThrottled(_ answer: Answer?, _ word: String, at location: SourceLocation = #_sourceLocation) {
        guard let answer else {
            Issue.record("nothing was refused", sourceLocation: location)
            return
        }
        expectRefused(answer, 429, "THROTTLED", word, at: location)
        let seconds = answer.json["retryAfter"].int ?? 0
        #expect(seconds >= 1, "\(answer)", sourceLocation: location)
        #expect(answer.headers["Retry-After"] == "\(seconds)", "\(answer.headers)", sourceLocation: location)
    }

    @Test("Case 109 and threat 37: who asks too often is told so, and nobody else is")
    func users() async throws {
        let tenant = try await tenant("--user-rate", "1")
        let (refusal, answered) = try await flood(tenant.publicDatabase)
        expectThrottled(refusal, "one user")
        #expect(answered >= 1)
        #expect(
            refusal?.headers["RateLimit-Policy"]?.contains("\"user\";q=1;w=1") == true,
            "\(String(describing: refusal?.headers))")
        let other = try await tenant.bobsPublicDatabase.get("users/caller")
        #expect(other.status == 200, "\(other)")
        // Whoever is nobody is no user.
        #expect(try await tenant.anonymousDatabase.lookup(["r"]).status == 200)
    }

    @Test("Case 109: all users of a token together, and all requests from an address")
    func tokensAndAddresses() async throws {
        let tokens = try await tenant("--token-rate", "2")
        expectThrottled(try await flood(tokens.publicDatabase).refusal, "one token")
        let other = try await tokens.cloud.makeToken(tokens.container)
        let database = tokens.database(
            "public", .user(apiToken: other, webAuthToken: tokens.bob.webAuthToken))
        #expect(try await database.get("users/caller").status == 200)
        let key = try await tokens.database("public", tokens.key).lookup(["r"])
        #expect(key.status == 200, "\(key)")

        let addresses = try await tenant("--address-rate", "2")
        expectThrottled(try await flood(addresses.publicDatabase).refusal, "one address")
        // Pages and devices count as well, and are told in their own words.
        let browser = addresses.database("public", .none)
        for (method, path) in [
            ("GET", "/sign-in"), ("GET", "/account"), ("POST", "/sign-in/device"), ("POST", "/sign-out"),
        ] {
            let refusal = try await flood { try await browser.send(method, path: path) }.refusal
            let answer = try #require(refusal, "\(path)")
            #expect(answer.headers["Retry-After"] != nil, "\(path): \(answer)")
            #expect(answer.text.contains("one address"), "\(answer)")
        }
        // Before any credential is looked at, wrong ones are counted, too.
        #expect(try await flood(browser).refusal != nil)
    }

    @Test("Whoever has an IPv6 network has all of its addresses, and counts once")
    func networks() async throws {
        let tenant = try await tenant("--address-rate", "2", "--trusted-proxy", "127.0.0.1")
        @Sendable func ask(from address: String) async throws -> Answer {
            try await tenant.anonymousDatabase.send("GET", path: "/sign-in", headers: ["X-Forwarded-For": address])
        }
        let last = Lock(0)
        @Sendable func next() -> String {
            last.withLock { last in
                last += 1
                return String(last, radix: 16)
            }
        }
        let refusal = try await flood { try await ask(from: "2001:db8::\(next())") }.refusal
        #expect(try #require(refusal).text.contains("one address"))
        let others = try await flood { try await ask(from: "2001:db8:0:\(next())::1") }
        #expect(others.refusal == nil && others.answered == Self.requestsOfFlood)
    }

    @Test("A large request is done whatever the rate, and holds up its sender until it is paid for; nobody else")
    func work() async throws {
        let tenant = try await tenant("--user-rate", "2", "--max-operations", "1000")
        let changes = (0..<1_000).map { _ in Change.create("Note", Unique.name("r")) }
        expectSaved(try await tenant.privateDatabase.modify(changes), count: 1_000)
        let next = try await tenant.privateDatabase.get("users/caller")
        expectThrottled(next, "much work")
        #expect((1...13).contains(next.json["retryAfter"].int ?? 0), "\(next)")
        #expect(try await tenant.bobsPrivateDatabase.get("users/caller").status == 200)
    }

    @Test("Threat 25: looking for people is counted by the person")
    func people() async throws {
        let tenant = try await tenant("--people-rate", "2")
        let lookups: JSON = ["lookupInfos": [["emailAddress": "a@example.org"], ["emailAddress": "b@example.org"]]]
        let (refusal, answered) = try await flood { try await tenant.publicDatabase.post("users/discover", lookups) }
        #expect(answered >= 1)
        expectThrottled(refusal, "people")
        #expect(try await tenant.bobsPublicDatabase.post("users/discover", lookups).status == 200)
    }

    @Test("Case 110 and threat 41: a full database refuses by name, is read, and takes again what was cleared")
    func quota() async throws {
        let tenant = try await tenant("--private-record-quota", "2K", "--public-record-quota", "1K")
        let database = tenant.privateDatabase
        let text: JSON = .string(String(repeating: "x", count: 900))
        try await database.save(Change.create("Note", "a", ["text": ["value": text]]))
        try await database.save(Change.create("Note", "b", ["text": ["value": text]]))
        let answer = try await database.modify([Change.create("Note", "c", ["text": ["value": text]])])
        #expect(answer.status == 200)
        expectFailed(try #require(answer.records.first), "QUOTA_EXCEEDED", "'c'", "private", "2048")
        #expect(try await database.find("a").value("text") == text)
        try await expectAbsent("c", in: database)
        let usage = try await tenant.cloud.tool([
            "usage", "--container", tenant.container, "--environment", "development", "--database", "private",
            "--email", tenant.alice.email,
        ])
        #expect(usage["records"].int == 2 && (1_800...2_048).contains(usage["recordBytes"].int ?? 0), "\(usage)")
        #expect(
            try await database.modify([["operationType": "forceDelete", "record": ["recordName": "a"]]]).status == 200)
        try await database.save(Change.create("Note", "c", ["text": ["value": text]]))
        // Bob's private database is his own; the public one is everybody's.
        try await tenant.bobsPrivateDatabase.save(Change.create("Note", "c", ["text": ["value": text]]))
        try await tenant.publicDatabase.save(Change.create("Note", "a", ["text": ["value": text]]))
        let bobs = try await tenant.bobsPublicDatabase.modify([Change.create("Note", "b", ["text": ["value": text]])])
        expectFailed(try #require(bobs.records.first), "QUOTA_EXCEEDED", "'b'", "public", "1024")
    }

    @Test("Case 110 and threat 41: bytes that have no room are refused before they are sent")
    func assetQuota() async throws {
        let tenant = try await tenant("--private-asset-quota", "1000", "--max-asset", "2000")
        let database = tenant.privateDatabase
        let bytes = [UInt8](repeating: 7, count: 1_001)
        let url = try await database.uploadURL("Document", "a")
        let full = try await Database.transfer("POST", url, body: bytes)
        let error = try JSON(parsing: full.body)
        #expect(full.status == 413 && error["serverErrorCode"].string == "QUOTA_EXCEEDED", "\(error)")
        for word in ["1001 bytes", "private", "room for 1000"] {
            #expect(error["reason"].string?.contains(word) == true, "\(error)")
        }
        // Nothing was received: the same address takes what fits.
        #expect(try await Database.transfer("HEAD", url).headers["Upload-Offset"] == "0")
        #expect(try await Database.transfer("POST", url, body: Array(bytes.dropLast())).status == 200)

        // The public database has no quota here, but no asset may be larger than the operator says.
        for (count, status) in [(2_000, 200), (2_001, 400)] {
            let url = try await tenant.publicDatabase.uploadURL("Document", "a")
            let bytes = [UInt8](repeating: 8, count: count)
            #expect(try await Database.transfer("PUT", url, body: bytes).status == status)
        }
    }

    @Test("Sizes and counts of requests are what the operator says")
    func sizes() async throws {
        let tenant = try await tenant("--max-operations", "3", "--max-body", "64K")
        let database = tenant.privateDatabase
        let changes = (0..<4).map { _ in Change.create("Note", Unique.name("r")) }
        expectSaved(try await database.modify(Array(changes.prefix(3))), count: 3)
        expectRefused(try await database.modify(changes), 400, "BAD_REQUEST", "4", "3")
        expectRefused(try await database.lookup(["a", "b", "c", "d"]), 400, "BAD_REQUEST", "4", "3")
        #expect(try await database.lookup(["a", "b", "c"]).status == 200)
        let long = String(repeating: " ", count: 65_536 - 2)
        #expect(try await database.post("zones/list", text: "{\(long)}").status == 200)
        expectRefused(try await database.post("zones/list", text: "{\(long) }"), 413, "QUOTA_EXCEEDED", "65536")
    }

    @Test("Of a client that sends much at once, the rest waits while others ask, and all of it is answered")
    func fairShares() async throws {
        let cloud = try await Cloud()
        let file = cloud.directory.path + "/metrics-token"
        try "secret".write(toFile: file, atomically: true, encoding: .utf8)
        let tenant = try await tenant("--metrics-token-file", file, "--client-concurrency", "1")
        let metrics = tenant.database("public", .none)
        var (rounds, page) = (0, "")
        // That two requests meet is up to the machine, so it gets several chances.
        repeat {
            rounds += 1
            let name = "round-\(rounds)"
            #expect(try await tenant.bobsPublicDatabase.lookup(["r"]).status == 200)
            let (refusal, answered) = try await flood {
                try await tenant.publicDatabase.modify([Change.create("Note", Unique.name(name))])
            }
            #expect(refusal == nil)
            #expect(answered == Self.requestsOfFlood)
            #expect(try await tenant.bobsPublicDatabase.lookup(["r"]).status == 200)
            page = try await metrics.send("GET", path: "/metrics", headers: ["Authorization": "Bearer secret"]).text
        } while page.contains("stratus_held_requests 0\n") && rounds < 20
        #expect(page.contains("stratus_limit_client_concurrency 1\n"), "\(page)")
        #expect(page.contains("stratus_held_requests "), "\(page)")
        #expect(!page.contains("stratus_held_requests 0\n"), "\(page)")
    }

    @Test("What was refused, and what is allowed, is on the metrics page")
    func metrics() async throws {
        let cloud = try await Cloud()
        let token = Unique.name("metrics-token")
        let file = cloud.directory.path + "/metrics-token"
        try token.write(toFile: file, atomically: true, encoding: .utf8)
        let tenant = try await tenant(
            "--metrics-token-file", file, "--user-rate", "1", "--private-record-quota", "0", "--max-operations", "100")
        let full = try await tenant.privateDatabase.modify([Change.create("Note", "a")])
        expectFailed(try #require(full.records.first), "QUOTA_EXCEEDED")
        let (refusal, answered) = try await flood(tenant.publicDatabase)
        expectThrottled(refusal, "one user")
        let page = try await tenant.database("public", .none).send(
            "GET", path: "/metrics", headers: ["Authorization": "Bearer \(token)"])
        for line in [
            "stratus_throttled_requests{by=\"user\"} \(Self.requestsOfFlood - answered)",
            "stratus_throttled_requests{by=\"address\"} 0",
            "stratus_quota_refusals{database=\"private\"} 1", "stratus_limit_requests_per_second{by=\"user\"} 1",
            "stratus_limit_quota_bytes{database=\"private\",kind=\"records\"} 0", "stratus_limit_operations 100",
            "stratus_limit_body_bytes 16777216",
        ] {
            #expect(page.text.contains(line + "\n"), "\(line) is not in \(page.text)")
        }
    }

    @Test("Limits are taken from the configuration file and the command line, which wins")
    func configuration() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/config.json"
        let quotas: JSON = [
            "public-record-quota": "2G", "public-asset-quota": "1T", "private-asset-quota": 7, "max-body": "1M",
            "max-operations": 400, "address-rate": 9, "token-rate": 5, "people-rate": 3600, "max-asset": "3G",
            "max-unsaved-uploads": 7, "max-unsaved-bytes": "5G", "client-concurrency": 12,
        ]
        try quotas.text.write(toFile: file, atomically: true, encoding: .utf8)
        let token = directory.path + "/token"
        try "secret".write(toFile: token, atomically: true, encoding: .utf8)
        let cloud = try await Cloud(arguments: [
            "--config", file, "--metrics-token-file", token, "--address-rate", "8", "--private-record-quota", "5K",
            "--max-unsaved-uploads", "8",
        ])
        let client = Database(server: cloud.server.url, container: "", scope: "public", credential: .none)
        let page = try await client.send("GET", path: "/metrics", headers: ["Authorization": "Bearer secret"]).text
        for line in [
            "quota_bytes{database=\"public\",kind=\"records\"} 2147483648",
            "quota_bytes{database=\"public\",kind=\"assets\"} 1099511627776",
            "quota_bytes{database=\"private\",kind=\"records\"} 5120",
            "quota_bytes{database=\"private\",kind=\"assets\"} 7", "requests_per_second{by=\"token\"} 5",
            "requests_per_second{by=\"address\"} 8", "requests_per_second{by=\"people\"} 1", "operations 400",
            "client_concurrency 12", "body_bytes 1048576",
            "asset_bytes 3221225472", "unsaved_uploads 8", "unsaved_upload_bytes 5368709120",
        ] {
            #expect(page.contains("stratus_limit_" + line + "\n"), "\(line) is not in \(page)")
        }
        #expect(!page.contains("requests_per_second{by=\"user\"}"))
    }
}
