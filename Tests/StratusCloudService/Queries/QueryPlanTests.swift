import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What pages read: index ranges, however many records there are.
@Suite struct QueryPlanTests {
    private static let groups: Int64 = 10

    private static func record(_ number: Int) -> StoredRecord {
        let place = Location(latitude: Double(number % 100) / 100, longitude: Double(number / 100) / 100)
        var fields = FieldMap()
        fields["integer"] = Field(.scalar(.int64(Int64(number) % groups)))
        fields["moment"] = Field(.scalar(.timestamp(Timestamp(milliseconds: Int64(number)))))
        fields["text"] = Field(.scalar(.string(number.isMultiple(of: 500) ? "rare common" : "common")))
        fields["place"] = Field(.scalar(.location(place)))
        return TestSchema.record("r\(number)", fields, created: Int64(number))
    }

    private func store(of count: Int) async throws -> MemoryStore {
        let store = MemoryStore()
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.save((start..<start + 1_000).map(Self.record))
        }
        return store
    }

    private static let everything = Query(recordType: "Thing")

    @Test func pagesCostTheSameHoweverManyRecordsThereAre() async throws {
        let newest = Sort(.system(.createdTimestamp), ascending: false)
        let queries: [(Query, Int)] = [
            (Self.everything, 201),
            (Query(recordType: "Thing", sorts: [newest]), 210),
            (Query(recordType: "Thing", sorts: [Sort(.named("moment"))]), 210),
            (Query(recordType: "Thing", filters: [Filter(.equals, "integer", .integer(3))]), 201),
            (Query(recordType: "Thing", filters: [Filter(.greaterThan, "moment", .integer(50))]), 201),
            (
                Query(
                    recordType: "Thing", filters: [Filter(.greaterThan, "moment", .integer(50))],
                    sorts: [Sort(.named("moment"))]), 210
            ),
            (Query(recordType: "Thing", filters: [Filter(.containsAllTokens, "text", .text("Common"))]), 201),
            (Query(recordType: "Thing", filters: [Filter(.beginsWith, "text", .text("common"))]), 201),
            (
                Query(
                    recordType: "Thing", sorts: [Sort(.named("integer"), ascending: false), newest]), 3_000
            ),
        ]
        let small = try await store(of: 3_000)
        let large = try await store(of: 12_000)
        for (query, most) in queries {
            let few = try await small.page(query)
            let many = try await large.page(query)
            #expect(few.records.count == 200 && many.records.count == 200)
            #expect(many.explanation.keysRead <= most, "\(query): \(many.explanation)")
            #expect(many.explanation.recordsReturned == 200)
            if most < 1_000 {
                #expect(many.explanation.keysRead == few.explanation.keysRead, "\(query)")
                let next = try await large.page(query, resume: many.position)
                #expect(next.explanation.keysRead <= most, "\(query): \(next.explanation)")
            }
        }
    }

    @Test func theSmallestRangeIsRead() async throws {
        let store = try await store(of: 5_000)
        let both = Query(
            recordType: "Thing",
            filters: [
                Filter(.equals, "integer", .integer(0)), Filter(.containsAllTokens, "text", .text("common rare")),
            ])
        let outcome = try await store.page(both)
        #expect(outcome.records.count == 10)
        #expect(outcome.explanation.recordsRead == 10)
        #expect(outcome.explanation.plan == ["read the index of text CONTAINS_ALL_TOKENS"])
        var sorted = both
        sorted.sorts = [Sort(.named("moment"), ascending: false)]
        let newest = try await store.page(sorted, limit: 3)
        #expect(newest.records.map(\.record.stored.recordName) == ["r4500", "r4000", "r3500"])
        #expect(newest.explanation.recordsRead == 10)
        let named = Query(
            recordType: "Thing",
            filters: [
                Filter(.equals, "integer", .integer(7)),
                Filter(.in, .system(.recordName), FieldInput(.list([.text("r7"), .text("r8"), .text("r17")]))),
            ])
        let some = try await store.page(named)
        #expect(some.records.map(\.record.stored.recordName) == ["r17", "r7"])
        #expect(some.explanation.recordsRead == 3)
    }

    @Test func nearestAreFoundFromTheInside() async throws {
        let store = try await store(of: 12_000)
        let here = Location(latitude: 0.5, longitude: 1)
        let query = Query(recordType: "Thing", sorts: [Sort(.named("place"), relativeLocation: here)])
        let outcome = try await store.page(query, limit: 20)
        #expect(outcome.records.first?.record.stored.recordName == "r10050")
        #expect(outcome.explanation.keysRead < 1_000, "\(outcome.explanation)")
        var page = outcome
        for _ in 0..<30 { page = try await store.page(query, limit: 100, resume: page.position) }
        #expect(page.records.count == 100)
        #expect(page.explanation.keysRead < 6_000, "\(page.explanation)")
        let near = Query(
            recordType: "Thing", filters: [Filter(.near, "place", .scalar(.location(here)), distance: 2_500)])
        let circle = try await store.page(near)
        #expect(circle.records.count == 13 + 8)
        #expect(circle.explanation.keysRead < 200, "\(circle.explanation)")
    }

    @Test func manyRecordsAtOnePlaceAreWalkedByName() async throws {
        let store = MemoryStore()
        let place = FieldMap(
            dictionaryLiteral: ("place", Field(.scalar(.location(Location(latitude: 1, longitude: 1))))))
        for start in stride(from: 0, to: 6_000, by: 1_000) {
            try await store.save((start..<start + 1_000).map { TestSchema.record("r\($0)", place) })
        }
        let query = Query(
            recordType: "Thing",
            sorts: [Sort(.named("place"), relativeLocation: Location(latitude: 1.01, longitude: 1))])
        let outcome = try await store.page(query, limit: 100)
        #expect(outcome.explanation.keysRead < 2_000, "\(outcome.explanation)")
        let names = try await store.names(query)
        #expect(names == (0..<6_000).map { "r\($0)" }.sorted())
    }

    @Test func aPageOfRareMatchesEndsShortAndGoesOn() async throws {
        let store = try await store(of: 3_000)
        let work = QueryWork(keysPerPage: 500, recordsPerPage: 500, probes: [10], recordsSortedInMemory: 20)
        let query = Query(
            recordType: "Thing", filters: [Filter(.notBeginsWith, "text", .text("common"))],
            sorts: [Sort(.system(.createdTimestamp))])
        var pages = 0
        var names: [String] = []
        var resume: QueryPosition?
        repeat {
            let page = try await store.page(query, limit: 4, resume: resume, work: work)
            #expect(page.explanation.keysRead <= 1_100)
            names += page.records.map(\.record.stored.recordName)
            resume = page.position
            pages += 1
        } while resume != nil
        #expect(names == ["r0", "r500", "r1000", "r1500", "r2000", "r2500"])
        #expect(pages > 2)
    }

    @Test func recordsWithoutTheSortFieldComeLastAndAreFoundByKeysAlone() async throws {
        let store = try await store(of: 2_000)
        try await store.save([TestSchema.record("z"), TestSchema.record("y")])
        let query = Query(recordType: "Thing", sorts: [Sort(.named("moment"), ascending: false)])
        let names = try await store.names(query)
        #expect(names.count == 2_002)
        #expect(names.suffix(3) == ["r0", "y", "z"])
        var resume: QueryPosition?
        var recordsRead = 0
        repeat {
            let page = try await store.page(query, resume: resume)
            recordsRead += page.explanation.recordsRead
            resume = page.position
        } while resume != nil
        #expect(recordsRead < 2_300)
    }

    @Test func lastPageHasNoPosition() async throws {
        let store = try await store(of: 1_000)
        for sorts in [[], [Sort(.named("moment"))]] {
            let query = Query(
                recordType: "Thing", filters: [Filter(.lessThan, "moment", .integer(400))], sorts: sorts)
            let first = try await store.page(query)
            let second = try await store.page(query, resume: first.position)
            #expect(first.position != nil && second.records.count == 200 && second.position == nil)
        }
    }

    @Test func anUnknownRecordTypeOrAnEmptyZoneHasNothing() async throws {
        let store = MemoryStore()
        let outcome = try await store.page(Self.everything, zones: TestSchema.zones)
        #expect(outcome.records.isEmpty && outcome.position == nil && outcome.explanation.keysRead == 0)
        let none = try await store.page(Self.everything, zones: [])
        #expect(none.records.isEmpty && none.position == nil)
    }
}
