import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct QueryBasicsTests {
    private static let records = (0..<50).map { number in
        TestSchema.record(
            "r\(number)",
            [
                "integer": Field(.scalar(.int64(Int64(number % 10)))),
                "text": Field(.scalar(.string("name \(number)"))),
            ], created: Int64(1_000 - number))
    }

    @Test(arguments: TestEngine.allCases) func equalityRangeAndSort(_ engine: TestEngine) async throws {
        try await engine.withStore { store in
            try await store.save(Self.records)
            let equal = try await store.names(
                Query(recordType: "Thing", filters: [Filter(.equals, "integer", .integer(3))]))
            #expect(equal == ["r13", "r23", "r3", "r33", "r43"])
            let sorted = try await store.names(
                Query(
                    recordType: "Thing", filters: [Filter(.lessThan, "integer", .integer(2))],
                    sorts: [Sort(.system(.createdTimestamp))]), limit: 3)
            #expect(sorted == ["r41", "r40", "r31", "r30", "r21", "r20", "r11", "r10", "r1", "r0"])
            let two = try await store.names(
                Query(
                    recordType: "Thing",
                    sorts: [Sort(.named("integer"), ascending: false), Sort(.named("text"), ascending: false)]),
                limit: 7)
            #expect(two.prefix(6) == ["r9", "r49", "r39", "r29", "r19", "r8"])
            #expect(two.count == 50)
        }
    }
}
