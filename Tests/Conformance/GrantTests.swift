import StratusTestSupport
import Testing

/// Grants of the schema other than the default ones, in the public database (threats 4, 7 and 9).
@Suite("Grants")
struct GrantTests {
    /// Who may do what with a record of Alice's.
    struct Rule: Sendable, CustomTestStringConvertible {
        let type: String
        let grants: String
        /// Letters of those who may: a for Alice, the creator; b for Bob; n for nobody signed in.
        let read: String
        let create: String
        let write: String
        var testDescription: String { grants.isEmpty ? "no grant" : grants }
    }

    static let rules = [
        Rule(
            type: "Hidden", grants: "GRANT CREATE TO \"_icloud\", GRANT WRITE TO \"_creator\"", read: "a", create: "ab",
            write: "a"),
        Rule(
            type: "Members",
            grants: "GRANT READ TO \"_icloud\", GRANT CREATE TO \"_icloud\", GRANT WRITE TO \"_icloud\"", read: "ab",
            create: "ab", write: "ab"),
        Rule(
            type: "Frozen", grants: "GRANT READ TO \"_world\", GRANT CREATE TO \"_icloud\"", read: "abn", create: "ab",
            write: ""),
        Rule(type: "Listed", grants: "GRANT READ TO \"_world\"", read: "abn", create: "", write: ""),
    ]

    private static let tenant = Task {
        let tenant = try await Tenant.shared("Grants")
        let types = rules.map { "RECORD TYPE \($0.type) (secret STRING QUERYABLE SORTABLE, \($0.grants));" }
        try await tenant.applySchema(types.joined(separator: "\n"))
        return tenant
    }

    private func database(_ letter: Character) async throws -> Database {
        let tenant = try await Self.tenant.value
        return try await tenant.production("public", letter == "a" ? tenant.alice : letter == "b" ? tenant.bob : nil)
    }

    @Test("Creating needs CREATE", arguments: rules)
    func create(rule: Rule) async throws {
        for letter in "abn" {
            for kind in ["create", "forceUpdate", "forceReplace"] {
                let name = Unique.name("r")
                let answer = try await database(letter).modify([Change.make(kind, name, type: rule.type, [:])])
                if rule.create.contains(letter) {
                    expectSaved(answer, count: 1)
                } else if letter == "n", !rule.create.isEmpty {
                    // Somebody may, so that signing in can help.
                    expectRefused(answer, 421, "AUTHENTICATION_REQUIRED")
                } else {
                    expectFailed(answer.records.first ?? .absent, "ACCESS_DENIED", "CREATE operation not permitted")
                }
            }
        }
    }

    @Test("Reading needs READ, or WRITE; what is hidden shows in no answer", arguments: rules)
    func read(rule: Rule) async throws {
        guard rule.create.contains("a") else { return }
        let secret = Unique.name("secret")
        let fields = Fields.untyped(["secret": .string(secret)])
        let record = try await database("a").save(Change.create(rule.type, Unique.name("r"), fields))
        for letter in "abn" {
            let database = try await database(letter)
            let found = try await database.find(record.name)
            let filters = [Condition.filter("secret", "EQUALS", .string(secret))]
            let query = try await database.query(rule.type, filters: filters, sorts: [Condition.sort("secret")])
            if rule.read.contains(letter) {
                #expect(found.value("secret").string == secret)
                #expect(query.records.map(\.name) == [record.name], "\(query)")
            } else {
                expectFailed(found, "ACCESS_DENIED")
                // Who may make records may ask for those of their own.
                if letter == "b" {
                    #expect(query.json["records"] == [], "\(query)")
                } else {
                    expectRefused(query, 403, "ACCESS_DENIED")
                }
                #expect(!query.text.contains(secret) && !found.text.contains(secret))
            }
        }
    }

    @Test("Changing and deleting need WRITE; a refusal shows nothing that could not be read", arguments: rules)
    func write(rule: Rule) async throws {
        guard rule.create.contains("a") else { return }
        for letter in "abn" {
            for kind in ["update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete", "create"] {
                let secret = Unique.name("secret")
                let fields = Fields.untyped(["secret": .string(secret)])
                let record = try await database("a").save(Change.create(rule.type, Unique.name("r"), fields))
                let isDeletion = kind.lowercased().hasSuffix("delete")
                let change = Change.make(
                    kind, record.name, type: rule.type, tag: record.tag,
                    isDeletion ? .absent : Fields.untyped(["secret": "other"]))
                let answer = try await database(letter).modify([change])
                let item = answer.records.first ?? .absent
                if letter == "n", !rule.write.isEmpty {
                    expectRefused(answer, 421, "AUTHENTICATION_REQUIRED")
                } else if kind == "create" {
                    #expect(["EXISTS", "ACCESS_DENIED"].contains(item["serverErrorCode"].string), "\(answer)")
                } else if rule.write.contains(letter) {
                    #expect(item["serverErrorCode"] == .absent, "\(answer)")
                } else {
                    expectFailed(item, "ACCESS_DENIED", "WRITE operation not permitted")
                }
                if !rule.read.contains(letter) { #expect(!answer.text.contains(secret), "\(answer)") }
                if kind == "create" || !rule.write.contains(letter), rule.read.contains("a") {
                    try await expectUnchanged(record, in: try await database("a"))
                }
            }
        }
    }
}
