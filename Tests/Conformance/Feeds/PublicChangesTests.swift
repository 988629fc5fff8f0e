import StratusTestSupport
import Testing

/// `changes/records`, an addition: the feed of the public database.
@Suite("Public changes")
struct PublicChangesTests {
    private static let tenant = Task {
        let tenant = try await Tenant.shared("Public changes")
        try await tenant.applySchema(
            """
            RECORD TYPE Open (a INT64, GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            RECORD TYPE Members (a INT64, GRANT READ TO "_icloud", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            RECORD TYPE Own (a INT64, GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator");
            """)
        return tenant
    }

    private func page(_ database: Database, since token: String? = nil, _ options: JSON = [:]) async throws -> JSON {
        var body = options
        if let token { body = body.merging(["syncToken": .string(token)]) }
        let answer = try await database.post("changes/records", body)
        guard answer.status == 200 else { throw UnexpectedAnswer(answer) }
        return answer.json
    }

    @Test("Threats 4 and 9: everybody is shown what they may read, and its deletions; nothing else of others")
    func whoSeesWhat() async throws {
        let tenant = try await Self.tenant.value
        let alice = try await tenant.production("public", tenant.alice)
        let bob = try await tenant.production("public", tenant.bob)
        let nobody = try await tenant.production("public", nil)
        let types = ["Open", "Members", "Own"]
        let readers = [(alice, 3), (bob, 2), (nobody, 1)]
        var tokens: [String] = []
        for (reader, _) in readers { tokens.append(try #require(try await page(reader)["syncToken"].string)) }
        let names = types.map { Unique.name($0) }
        for (type, name) in zip(types, names) {
            expectSaved(try await alice.modify([Change.make("create", name, type: type, [:])]), count: 1)
        }
        for (index, (reader, count)) in readers.enumerated() {
            let page = try await page(reader, since: tokens[index])
            #expect(page.records.map(\.name) == Array(names.prefix(count)), "\(page)")
            #expect(page["moreComing"] == false && page["reverse"] == .absent)
            tokens[index] = try #require(page["syncToken"].string)
        }
        for name in names { _ = try await alice.modify([Change.make("forceDelete", name, type: nil, [:])]) }
        for (index, (reader, count)) in readers.enumerated() {
            let page = try await page(reader, since: tokens[index])
            #expect(page.records.map(\.name) == Array(names.prefix(count)))
            #expect(page.records.allSatisfy { $0["deleted"] == true })
            #expect(page.records.map { $0["deletedRecordType"].string } == Array(types.prefix(count)))
            #expect(!"\(page)".contains(names[2]) || count == 3)
        }
    }

    @Test("Limits, tokens, methods and databases")
    func refusals() async throws {
        let tenant = try await Self.tenant.value
        let database = tenant.publicDatabase
        let none = try await database.post("changes/records", ["resultsLimit": 0])
        expectRefused(none, 400, "BAD_REQUEST", "resultsLimit")
        let expired = try await database.post("changes/records", ["syncToken": "AAAA"])
        expectRefused(expired, 400, "BAD_REQUEST", "syncToken")
        #expect(expired.json["extensionErrorCode"] == "CHANGE_TOKEN_EXPIRED")
        expectRefused(try await tenant.privateDatabase.post("changes/records", [:]), 400, "BAD_REQUEST", "public")
        let unknown = tenant.database("public", .apiToken("unknown"))
        expectRefused(try await unknown.post("changes/records", [:]), 401, "AUTHENTICATION_FAILED")
        // As a server that has no such feed answers, which clients take for it.
        expectRefused(try await database.post("changes/nothing", [:]), 404, "NOT_FOUND")
        // The other requests answer as before.
        expectRefused(try await database.zoneChanges("_defaultZone"), 400, "BAD_REQUEST")
    }
}
