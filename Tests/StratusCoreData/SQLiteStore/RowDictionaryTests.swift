import Foundation
import StratusCompatibility
import Testing

@testable import StratusCoreData

/// Fetches of dictionaries: chosen values, calculated values and groups.
@Suite struct RowDictionaryTests {
    private let store: SQLiteRowStore
    private let film: StoredRow

    init() throws {
        store = try StoreFixture().open(":memory:")
        film = try store.make("Film", ["code": .string("f"), "count": .integer(1), "rating": .double(4)])
        let books = try [("a", 1, 0.5), ("b", 2, 1.5), ("c", 2, 2.0)].map { code, count, rating in
            try store.make(
                "Book",
                [
                    "code": .string(code), "count": .integer(Int64(count)), "rating": .double(rating),
                    "price": .decimal(Decimal(count)), "made": .date(Date(timeIntervalSinceReferenceDate: rating)),
                    "favourite": .reference(film.key),
                ])
        }
        try store.insert(film, books[0], books[1], books[2])
    }

    private func fetch(
        _ columns: [(String, PredicateOperand)], by groups: [String] = [], having: String? = nil,
        sort: [FetchPlan.SortKey] = [], isDistinct: Bool = false
    ) throws -> [[String: StoredValue]] {
        let dictionaries = FetchPlan.Dictionaries(
            columns: columns.map { (name: $0.0, expression: $0.1) }, groupBy: groups,
            having: having.map { NSPredicate(format: $0).predicateTree }, isDistinct: isDistinct)
        let plan = FetchPlan(entity: "Work", sortKeys: sort, result: .dictionaries(dictionaries))
        guard case .dictionaries(let found) = try store.fetch(plan) else { return [] }
        return found
    }

    private func over(_ function: PredicateFunction, _ path: String) -> PredicateOperand {
        .function(function.rawValue, [.keyPath(path)])
    }

    @Test func valuesHaveTheTypesOfTheirAttributes() throws {
        let columns: [(String, PredicateOperand)] = [
            ("code", .keyPath("code")), ("price", .keyPath("price")), ("made", .keyPath("made")),
            ("favourite", .keyPath("favourite")), ("owner", .keyPath("favourite.code")), ("self", .evaluatedObject),
            ("tags", .keyPath("tags.@count")), ("names", .keyPath("tags.name.@count")),
            ("length", .keyPath("code.length")),
        ]
        let found = try fetch(columns, sort: [FetchPlan.SortKey(keyPath: "code")])
        #expect(found.map { $0["code"] } == [.string("a"), .string("b"), .string("c"), .string("f")])
        #expect(found[0]["price"] == .decimal(1) && found[3]["price"] == .null)
        #expect(found[1]["made"] == .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        #expect(found[0]["favourite"] == .reference(film.key) && found[0]["owner"] == .string("f"))
        #expect(found[3]["self"] == .reference(film.key))
        #expect(found[0]["tags"] == .integer(0) && found[0]["names"] == .integer(0))
        #expect(found[0]["length"] == .integer(1))
    }

    @Test func functionsGoOverAllRows() throws {
        let found = try fetch([
            ("count", over(.count, "code")), ("sum", over(.sum, "count")), ("average", over(.average, "rating")),
            ("least", over(.min, "code")), ("latest", over(.max, "made")), ("median", over(.median, "rating")),
            ("double", .function(PredicateFunction.multiply.rawValue, [over(.sum, "rating"), .value(.integer(2))])),
        ])
        #expect(
            found == [
                [
                    "count": .integer(4), "sum": .integer(6), "average": .double(2), "least": .string("a"),
                    "latest": .date(Date(timeIntervalSinceReferenceDate: 2)), "median": .double(1.75),
                    "double": .double(16),
                ]
            ])
    }

    /// A column may have the name of the attribute that it sums up.
    @Test func groupsAreChosenAndSortedByTheirValues() throws {
        let columns: [(String, PredicateOperand)] = [
            ("count", .keyPath("count")), ("rating", over(.sum, "rating")), ("least", over(.min, "rating")),
        ]
        let sort = [FetchPlan.SortKey(keyPath: "rating", isAscending: false)]
        let all = try fetch(columns, by: ["count"], sort: sort)
        #expect(all.map { $0["count"] } == [.integer(1), .integer(2)])
        #expect(all.map { $0["rating"] } == [.double(4.5), .double(3.5)])
        for having in ["rating < 4", "sum(rating) < 4", "least > 1 AND count == 2"] {
            let found = try fetch(columns, by: ["count"], having: having, sort: sort)
            #expect(found.map { $0["count"] } == [.integer(2)], "\(having)")
        }
        #expect(try fetch([("owner", .keyPath("favourite.code"))], by: ["favourite.code"]).count == 2)
    }

    @Test func equalResultsAreReturnedOnce() throws {
        let columns: [(String, PredicateOperand)] = [("count", .keyPath("count"))]
        #expect(try fetch(columns).count == 4)
        #expect(try fetch(columns, isDistinct: true).count == 2)
    }

    @Test func severalValuesAndMissingGroupsAreErrors() throws {
        #expect(throws: FetchFailure.self) { try fetch([]) }
        #expect(throws: FetchFailure.self) { try fetch([("tags", .keyPath("tags"))]) }
        #expect(throws: FetchFailure.self) { try fetch([("x", .keyPath("nothing"))]) }
        #expect(throws: FetchFailure.self) { try fetch([("count", .keyPath("count"))], by: ["tags.name"]) }
        #expect(throws: FetchFailure.self) { try fetch([("count", .keyPath("count"))], having: "count > 1") }
    }
}
