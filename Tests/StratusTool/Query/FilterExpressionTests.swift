import StratusCloudModel
import Testing

@testable import StratusTool

@Suite struct FilterExpressionTests {
    private func filter(_ comparator: Comparator, _ field: String, _ value: InputValue) -> Filter {
        Filter(comparator, .named(field), FieldInput(value))
    }

    @Test func symbolsAndWords() throws {
        #expect(try FilterExpression.parse("a=1") == filter(.equals, "a", .integer(1)))
        #expect(try FilterExpression.parse("a == 1.5") == filter(.equals, "a", .decimal(1.5)))
        #expect(try FilterExpression.parse("a != x y") == filter(.notEquals, "a", .text("x y")))
        #expect(try FilterExpression.parse("a<=-2") == filter(.lessThanOrEquals, "a", .integer(-2)))
        #expect(try FilterExpression.parse("a > \"7\"") == filter(.greaterThan, "a", .text("7")))
        #expect(try FilterExpression.parse("a begins_with Ber") == filter(.beginsWith, "a", .text("Ber")))
        let words = Filter(.containsAllTokens, nil, FieldInput(.text("two words")))
        #expect(try FilterExpression.parse("* CONTAINS_ALL_TOKENS two words") == words)
    }

    @Test func lists() throws {
        let expected = filter(.in, "a", .list([.integer(1), .text("b"), .text("c,d")]))
        #expect(try FilterExpression.parse("a IN [1, b, \"c,d\"]") == expected)
        #expect(try FilterExpression.parse("a IN 1,b,\"c,d\"") == expected)
        #expect(try FilterExpression.parse("a IN []") == filter(.in, "a", .list([])))
    }

    @Test func places() throws {
        let parsed = try FilterExpression.parse("place NEAR 52.5,13.4 within 100km")
        #expect(parsed.distance == 100_000)
        #expect(parsed.value.value == .scalar(.location(Location(latitude: 52.5, longitude: 13.4))))
        #expect(try FilterExpression.parse("place NEAR 0,0 within 7").distance == 7)
    }

    @Test func systemFieldsAndDates() throws {
        let name = try FilterExpression.parse("recordName = 42")
        #expect(name.field == .system(.recordName))
        #expect(name.value.value == .scalar(.reference(Reference(recordName: "42"))))
        let created = try FilterExpression.parse("createdTimestamp > 2026-01-31")
        #expect(created.value.value == .scalar(.timestamp(Timestamp(milliseconds: 1_769_817_600_000))))
        let due = try FilterExpression.parse("due < @2026-01-31")
        #expect(due.value.value == .scalar(.timestamp(Timestamp(milliseconds: 1_769_817_600_000))))
    }

    @Test(arguments: [
        "", "a", "a =", "= 1", "a LIKE b", "a NEAR 1,2", "a NEAR 91,0 within 1km", "a NEAR 1 within 1km",
        "a NEAR 1,2 within far", "createdTimestamp > soon", "a > @soon",
    ])
    func whatCannotBeMeantIsQuoted(text: String) {
        let error = #expect(throws: ToolError.self) { try FilterExpression.parse(text) }
        #expect(error?.exitCode == .usage)
        #expect(error?.message.contains("'\(text)'") == true)
    }

    @Test func sorts() throws {
        #expect(try SortExpression.parse("a") == Sort(.named("a")))
        #expect(
            try SortExpression.parse("modifiedTimestamp desc") == Sort(.system(.modifiedTimestamp), ascending: false))
        let place = Location(latitude: 1, longitude: 2)
        #expect(try SortExpression.parse("a near 1,2") == Sort(.named("a"), relativeLocation: place))
        #expect(throws: ToolError.self) { try SortExpression.parse("a upwards") }
        #expect(throws: ToolError.self) { try SortExpression.parse(" ") }
    }
}
