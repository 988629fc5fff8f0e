import StratusTestSupport
import Testing

/// Queries in production, where only the indexes of the schema serve.
@Suite("Production queries")
struct ProductionQueryTests {
    let database: Database

    init() async throws { database = try await Self.prepared.value }

    private static let prepared = Task { () -> Database in
        let tenant = try await Tenant.shared("Production")
        try await tenant.applySchema(
            """
            RECORD TYPE Bare (
                title STRING,
                rank  INT64 QUERYABLE,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );
            """)
        let database = try await tenant.production("private", tenant.alice)
        _ = try await database.save(
            Change.create("Bare", Unique.name("r"), Fields.untyped(["title": "x", "rank": 1])))
        return database
    }

    @Test("Case 67: without an index on the record name nothing is asked without a filter")
    func case67() async throws {
        expectRefused(
            try await database.query("Bare"), 400, "BAD_REQUEST", "Field 'recordName' is not marked queryable")
    }

    @Test("Case 68: a sort on a field without an index is refused by name")
    func case68() async throws {
        let filters = [Condition.filter("rank", "EQUALS", 1)]
        let sorts: [(JSON, String)] = [
            (Condition.sort("title"), "'title'"), (Condition.sort("___createTime"), "is not marked sortable"),
        ]
        for (sort, word) in sorts {
            let answer = try await database.query("Bare", filters: filters, sorts: [sort])
            expectRefused(answer, 400, "BAD_REQUEST", word, "is not marked sortable")
        }
    }

    @Test("A filter on a field without an index is refused by name; one with an index is answered")
    func filters() async throws {
        let refused = try await database.query("Bare", filters: [Condition.filter("title", "EQUALS", "x")])
        expectRefused(refused, 400, "BAD_REQUEST", "Field 'title' is not marked queryable")
        let answer = try await database.query("Bare", filters: [Condition.filter("rank", "EQUALS", 1)])
        #expect(answer.records.count == 1, "\(answer)")
    }
}
