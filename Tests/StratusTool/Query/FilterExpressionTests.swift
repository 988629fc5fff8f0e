import StratusCloudModel
import Testing

@testable import StratusTool

@Suite struct FilterExpressionTests {
    private func filter(_ comparator: Comparator, _ field: String, _ value: InputValue) -> Filter {
        Filter(comparator, .named(field), FieldInput(value))
    }

    private func read(_ text: String, _ types: [String: FieldType] = [:]) throws(ToolError) -> Filter {
        try FilterExpression(text).filter(types: types)
    }

    @Test func symbolsAndWords() throws {
        #expect(try read("a=1") == filter(.equals, "a", .integer(1)))
        #expect(try read("a == 1.5") == filter(.equals, "a", .decimal(1.5)))
        #expect(try read("a != x y") == filter(.notEquals, "a", .text("x y")))
        #expect(try read("a<=-2") == filter(.lessThanOrEquals, "a", .integer(-2)))
        #expect(try read("a > \"7\"") == filter(.greaterThan, "a", .text("7")))
        #expect(try read("a begins_with Ber") == filter(.beginsWith, "a", .text("Ber")))
        let words = Filter(.containsAllTokens, nil, FieldInput(.text("two words")))
        #expect(try read("* CONTAINS_ALL_TOKENS two words") == words)
    }

    @Test func lists() throws {
        let expected = filter(.in, "a", .list([.integer(1), .text("b"), .text("c,d")]))
        #expect(try read("a IN [1, b, \"c,d\"]") == expected)
        #expect(try read("a IN 1,b,\"c,d\"") == expected)
        #expect(try read("a IN []") == filter(.in, "a", .list([])))
    }

    @Test func places() throws {
        let parsed = try read("place NEAR 52.5,13.4 within 100km")
        #expect(parsed.distance == 100_000)
        #expect(parsed.value.value == .scalar(.location(Location(latitude: 52.5, longitude: 13.4))))
        #expect(try read("place NEAR 0,0 within 7").distance == 7)
    }

    @Test func systemFieldsAndDates() throws {
        let name = try read("recordName = 42")
        #expect(name.field == .system(.recordName))
        #expect(name.value.value == .scalar(.reference(Reference(recordName: "42"))))
        let created = try read("createdTimestamp > 2026-01-31")
        #expect(created.value.value == .scalar(.timestamp(Timestamp(milliseconds: 1_769_817_600_000))))
        let due = try read("due < @2026-01-31")
        #expect(due.value.value == .scalar(.timestamp(Timestamp(milliseconds: 1_769_817_600_000))))
    }

    @Test(arguments: [
        "", "a", "a =", "= 1", "a LIKE b", "a NEAR 1,2", "a NEAR 91,0 within 1km", "a NEAR 1 within 1km",
        "a NEAR 1,2 within far", "createdTimestamp > soon", "a > @soon",
    ])
    func whatCannotBeMeantIsQuoted(text: String) {
        let error = #expect(throws: ToolError.self) { try read(text) }
        #expect(error?.exitCode == .usage)
        #expect(error?.message.contains("'\(text)'") == true)
    }

    @Test func theSchemaTypesValues() throws {
        let types: [String: FieldType] = [
            "text": FieldType(.string), "whole": FieldType(.int64), "number": FieldType(.double),
            "date": FieldType(.timestamp), "link": FieldType(.reference), "bytes": FieldType(.bytes),
            "tags": FieldType(.string, isList: true),
        ]
        let date = InputValue.scalar(.timestamp(Timestamp(milliseconds: 1_769_817_600_000)))
        let cases: [(String, Filter)] = [
            ("text = 42", filter(.equals, "text", .text("42"))), ("text = '42'", filter(.equals, "text", .text("42"))),
            ("text = \"42\"", filter(.equals, "text", .text("42"))),
            ("text > @x", filter(.greaterThan, "text", .text("@x"))),
            ("whole = '42'", filter(.equals, "whole", .scalar(.int64(42)))),
            ("whole = 1e3", filter(.equals, "whole", .integer(1_000))),
            ("whole = true", filter(.equals, "whole", .scalar(.int64(1)))),
            ("number > 3", filter(.greaterThan, "number", .scalar(.double(3)))),
            ("date < 2026-01-31", filter(.lessThan, "date", date)),
            ("date < @2026-01-31", filter(.lessThan, "date", date)),
            ("link = 7", filter(.equals, "link", .scalar(.reference(Reference(recordName: "7"))))),
            ("bytes = 'AAE='", filter(.equals, "bytes", .scalar(.bytes([0, 1])))),
            ("tags LIST_CONTAINS 7", filter(.listContains, "tags", .text("7"))),
            ("text IN ['a,b', 7]", filter(.in, "text", .list([.text("a,b"), .text("7")]))),
        ]
        for (text, expected) in cases { #expect(try read(text, types) == expected, "\(text)") }
        for text in ["whole = many", "whole > 2.5", "number = x", "date > soon", "bytes = !", "whole IN [1, x]"] {
            let error = #expect(throws: ToolError.self) { try read(text, types) }
            #expect(error?.exitCode == .usage && error?.message.contains("'\(text)'") == true, "\(text)")
        }
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
