import Foundation
import StratusCompatibility
import Testing

@testable import StratusCoreData

@Suite struct RowFetchTests {
    private func store() throws -> SQLiteRowStore {
        let store = try StoreFixture().open(":memory:")
        let film = try store.make("Film", ["code": .string("f10"), "count": .integer(1)])
        let books = [
            try store.make("Book", ["code": .string("f9"), "count": .integer(2), "favourite": .reference(film.key)]),
            try store.make("Book", ["code": .string("F1")]),
        ]
        try store.insert(film, books[0], books[1])
        return store
    }

    private func keys(_ plan: FetchPlan, in store: SQLiteRowStore) throws -> [Int64] {
        var plan = plan
        plan.result = .keys
        return try #require(try store.fetch(plan).keys).map(\.primaryKey)
    }

    @Test func sortKeysPutMissingValuesFirstAndFollowRelationships() throws {
        let store = try store()
        func sorted(_ keyPath: String, _ ascending: Bool, _ order: TextOrder = .plain) throws -> [Int64] {
            let key = FetchPlan.SortKey(keyPath: keyPath, isAscending: ascending, order: order)
            return try keys(FetchPlan(entity: "Work", sortKeys: [key]), in: store)
        }
        #expect(try sorted("count", true) == [3, 1, 2])
        #expect(try sorted("count", false) == [2, 1, 3])
        #expect(try sorted("code", true) == [3, 1, 2])
        #expect(try sorted("code", true, .localizedStandard) == [3, 2, 1])
        #expect(try sorted("favourite.count", false) == [2, 1, 3])
        #expect(throws: FetchFailure.self) { try sorted("tags.name", true) }
        #expect(throws: FetchFailure.self) { try sorted("nothing", true) }
    }

    @Test func limitOffsetCountAndSubentities() throws {
        let store = try store()
        var plan = FetchPlan(entity: "Work", limit: 1, offset: 1)
        #expect(try keys(plan, in: store) == [2])
        plan.limit = 0
        #expect(try keys(plan, in: store) == [2, 3])
        plan.result = .count
        #expect(try store.fetch(plan).count == 2)
        #expect(try keys(FetchPlan(entity: "Book"), in: store) == [2, 3])
        #expect(try keys(FetchPlan(entity: "Work", includesSubentities: false), in: store).isEmpty)
        #expect(throws: FetchFailure.self) { try store.fetch(FetchPlan(entity: "Work", limit: -1)) }
    }

    @Test func rowsOfSeveralEntitiesHaveTheirOwnProperties() throws {
        let store = try store()
        let rows = try #require(try store.fetch(FetchPlan(entity: "Work")).rows)
        #expect(rows.map(\.key.entity) == ["Film", "Book", "Book"])
        for row in rows {
            #expect(row.values.count == (try store.layout.entity(row.key.entity).properties.count))
            #expect(try store.rows([row.key])[row.key]?.values == row.values)
        }
    }

    @Test(arguments: ["Book", "Work"])
    func rowsAreOfTheirOwnEntityAndWhole(entity: String) throws {
        let store = try store()
        let predicate = NSPredicate(format: "code ==[c] 'F9'").predicateTree
        let rows = try #require(try store.fetch(FetchPlan(entity: entity, predicate: predicate)).rows)
        #expect(rows.map(\.key) == [RowKey(entity: "Book", primaryKey: 2)])
        #expect(rows.map(\.values) == [try store.rows([rows[0].key])[rows[0].key]?.values])
    }

    @Test(arguments: [
        ("nothing == 1", "nothing"), ("favourite.nothing == 1", "nothing"), ("tags == 1", "tags"),
        ("tags.works.@count == 1", "tags"), ("tags.nothing.@count == 1", "nothing"), ("ANY content == 1", "content"),
        ("ANY tags.works.code == 'a'", "tags"), ("count IN 5", "count"),
        ("code.nothing == 1", "code"), ("tags.@unionOfObjects.name == 1", "@unionOfObjects"),
        ("count.length == 1", "count"),
        ("sum(count) == 1", "sum"), ("tags + 1 == 2", "tags"), ("distinct(tags.name) == 1", "distinct"),
        ("{count, 2} == 2", "list"), ("TERNARY(count == 1, code, count) == 1", "TERNARY"),
        ("SUBQUERY(tags.name, $t, $t == 'a').@count > 0", "tags"), ("$x == 1", "$x"), ("count BETWEEN {1}", "count"),
    ])
    func whatHasNoTranslationNamesItsPart(format: String, part: String) throws {
        let predicate = NSPredicate(format: format).predicateTree
        let error = #expect(throws: FetchFailure.self) {
            try store().fetch(FetchPlan(entity: "Work", predicate: predicate))
        }
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("ANY code BEGINSWITH[c] 'f'", [1, 2, 3]), ("ALL code == 'f9'", [2]), ("ANY count == nil", []),
        ("ALL count == 5", [3]), ("ANY favourite.count == 1", [2]), ("ANY {count, 2} == 2", [1, 2, 3]),
        ("ALL {count, 2} == 2", [2]), ("ANY {1, 5} == count", [1]), ("ANY 2 == count", [2]),
    ])
    func oneValueStandsForAListOfIt(format: String, expected: [Int64]) throws {
        let plan = FetchPlan(entity: "Work", predicate: NSPredicate(format: format).predicateTree)
        #expect(try keys(plan, in: store()) == expected)
    }

    @Test(arguments: [
        "price * 2 == 0.5", "price + count == 2.25", "modulus:by:(price, 0.25) == 0", "count / price == 8",
    ])
    func functionsCalculateWithDecimalNumbers(format: String) throws {
        let store = try store()
        try store.insert(try store.make("Film", ["code": .string("d"), "price": .decimal(0.25), "count": .integer(2)]))
        let predicate = NSPredicate(format: format).predicateTree
        #expect(try keys(FetchPlan(entity: "Work", predicate: predicate), in: store).count == 1)
    }

    /// SQLite keeps 3 as an integer, but a division by it has a fraction.
    @Test func decimalNumbersWithoutFractionAreNotWhole() throws {
        let store = try store()
        try store.insert(try store.make("Film", ["code": .string("e"), "price": .decimal(4), "count": .integer(2)]))
        let predicate = NSPredicate(format: "count / price == 0.5").predicateTree
        #expect(try keys(FetchPlan(entity: "Work", predicate: predicate), in: store).count == 1)
    }

    @Test func depthConstantsAndJoinsHaveLimits() throws {
        let store = try store()
        let any = NSPredicate(format: "ANY tags.name ==[c] 'a'").predicateTree
        func nested(_ depth: Int) -> PredicateTree {
            if depth == 1 { return any }
            let inner = nested(depth - 1)
            return [.not(inner), .and([any, inner]), .or([any, inner])][depth % 3]
        }
        func fetch(_ predicate: PredicateTree) throws {
            _ = try store.fetch(FetchPlan(entity: "Work", predicate: predicate))
        }
        try fetch(nested(FetchLimits.depth))
        #expect(throws: FetchFailure.self) { try fetch(nested(FetchLimits.depth + 1)) }
        func subqueries(_ count: Int) -> PredicateTree {
            guard count > 0 else { return .constant(true) }
            let inner = subqueries(count - 1)
            return .comparison(
                PredicateComparison(
                    .member(.subquery(.keyPath("tags"), variable: "x\(count)", inner), keyPath: "@count"),
                    .greaterThanOrEqualTo, .value(.integer(0))))
        }
        try fetch(subqueries(4))
        #expect(throws: FetchFailure.self) { try fetch(subqueries(5)) }
        // A conjunction that grew member by member is one.
        try fetch((0..<500).reduce(any) { tree, _ in .and([any, tree]) })
        func constants(_ count: Int) -> PredicateTree {
            let list = PredicateValue.list((0..<count).map { .integer(Int64($0)) })
            return .comparison(PredicateComparison(.keyPath("count"), .in, .value(list)))
        }
        try fetch(constants(FetchLimits.constants))
        #expect(throws: FetchFailure.self) { try fetch(constants(FetchLimits.constants + 1)) }
        func path(_ joins: Int) -> PredicateTree {
            let path = String(repeating: "favourite.", count: joins) + "count"
            return .comparison(PredicateComparison(.keyPath(path), .equalTo, .value(.null)))
        }
        try fetch(path(FetchLimits.joins))
        #expect(throws: FetchFailure.self) { try fetch(path(FetchLimits.joins + 1)) }
    }
}
