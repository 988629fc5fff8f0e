import StratusCloudModel
import Testing

@testable import StratusTool

@Suite struct TextValueTests {
    @Test(arguments: [
        ("2026-01-31", 1_769_817_600_000), ("2026-01-31T12:00:00Z", 1_769_860_800_000),
        ("2026-01-31 12:00", 1_769_860_800_000), ("2026-01-31T13:00:00+01:00", 1_769_860_800_000),
        ("2026-01-31T06:30:00-0530", 1_769_860_800_000), ("2026-01-31T12:00:00.1239Z", 1_769_860_800_123),
        ("1969-12-31T23:59:59.999Z", -1), ("2024-02-29", 1_709_164_800_000), ("1234", 1_234), ("-5", -5),
    ])
    func dates(text: String, milliseconds: Int64) {
        #expect(DateText.milliseconds(text) == milliseconds)
    }

    @Test(arguments: [
        "", "x", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-31T", "2026-01-31T24:00",
        "2026-01-31T12:60", "2026-01-31T12:00:60", "2026-01-31T12:00:00.", "2026-01-31T12:00:00+25:00",
        "2026-01-31T12:00:00Zx", "26-01-31",
    ])
    func textThatIsNoDate(text: String) {
        #expect(DateText.milliseconds(text) == nil)
    }

    @Test func everyType() throws {
        #expect(try TextValue.parse(" 9223372036854775807 ", as: .int64, "column 'c'") == .int64(.max))
        #expect(try TextValue.parse("1e3", as: .double, "column 'c'") == .double(1_000))
        #expect(try TextValue.parse("AAEC", as: .bytes, "column 'c'") == .bytes([0, 1, 2]))
        #expect(try TextValue.parse("r", as: .reference, "column 'c'") == .reference(Reference(recordName: "r")))
        #expect(
            try TextValue.parse("1.5, -2", as: .location, "column 'c'")
                == .location(Location(latitude: 1.5, longitude: -2)))
    }

    @Test(arguments: [
        ("9223372036854775808", ScalarType.int64), ("1.0", .int64), ("nan", .double), ("inf", .double), ("!", .bytes),
        ("91,0", .location), ("0,181", .location), ("1", .location), ("1,2,3", .location), ("soon", .timestamp),
    ])
    func textOfAnotherTypeIsRefusedByColumn(text: String, type: ScalarType) {
        let error = #expect(throws: RowError.self) { try TextValue.parse(text, as: type, "column 'size'") }
        #expect(error?.reason.contains("'size'") == true)
    }

    @Test func partsOfAList() {
        #expect(TextValue.parts("a; b;;c ", ";") == ["a", "b", "c"])
        #expect(TextValue.parts("a--b", "--") == ["a", "b"])
        #expect(TextValue.parts("", ";") == [])
    }
}
