import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// What references cost in reads.
@Suite struct ReferenceCostTests {
    @Test func onlyReferencesThatChangeAreReadFor() async throws {
        let store = ObservedStore(MemoryStore(), by: AccessMeter())
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Z")
        _ = try await cloud.modify(
            [.make(.create, "warm", ["a": .integer(1)]), .link("t"), .link("warm.link", to: ["t"])], zone: "Z")

        func reads(_ operations: [RecordOperation]) async throws -> Int {
            try await store.observer.counting {
                let codes = try await cloud.codes(operations)
                #expect(codes.allSatisfy { $0 == nil })
            }.readsToWrite
        }
        let plain = try await reads([.make(.create, "p", ["a": .integer(1)])])
        #expect(plain == 4, "the zone, the records, what the database takes, and the counters of the feed")
        #expect(try await reads([.link("n", .none, to: ["t"])]) == plain)
        #expect(try await reads([.link("d", .deleteSelf, to: ["t"])]) == plain + 1, "the count")
        #expect(
            try await reads([.link("d", .deleteSelf, to: ["t"])]) == plain + 1,
            "the record itself; it refers to what it referred to")
        #expect(try await reads([.link("v", .validate, to: ["t"])]) == plain + 2, "the count and the target")
        #expect(
            try await reads((0..<100).map { .link("d\($0)", .deleteSelf, to: ["t"]) }) == plain + 1,
            "all of a batch at once")
        #expect(
            try await reads([.remove("n")]) == plain + 2, "the record; nobody refers to it, which its count tells")
    }
}
