import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Values of bytes have no byte that none of them holds, as texts have, and an entry of an index holds only their
/// beginning: a page that ends among values of 0xFF must still have a place behind it.
@Suite struct BytesOrderTests {
    /// Agreeing in all that an entry holds, with the greatest bytes there are, and their neighbours.
    private static let values: [[UInt8]] = {
        let full = [UInt8](repeating: 0xFF, count: QueryLimits.indexedValueSize)
        let before: [UInt8] = full.dropLast() + [0xFE]
        let tails: [[UInt8]] = [[], [0], [0xFF], [0xFF, 1]]
        var values: [[UInt8]] = [[], [0], [0xFE], [0xFF], full.dropLast()]
        for tail in tails {
            values.append(before + tail)
            values.append(full + tail)
        }
        values.append(full + [UInt8](repeating: 0xFF, count: QueryLimits.sortedValueSize))
        return values.sorted { $0.lexicographicallyPrecedes($1) }
    }()

    private static let pages = [
        QueryWork(),
        QueryWork(
            keysPerPage: 30, recordsPerPage: 10, bytesPerPage: 100, recordsPerFetch: 1, keysPerRead: 3,
            recordsSortedInMemory: 3),
        QueryWork(keysPerPage: 60, bytesPerPage: 100, recordsPerFetch: 5, keysPerRead: 16, recordsSortedInMemory: 10),
    ]

    @Test(arguments: TestEngine.allCases, [true, false])
    func everyPageGoesOnAndNothingIsLeftOut(_ engine: TestEngine, ascending: Bool) async throws {
        try await engine.withStore { store in
            var names: [[String]] = []
            for (number, value) in Self.values.enumerated() {
                // The order of the names within a value is always ascending.
                let group = (0..<4).map { "n\(number)-\($0)" }
                let fields: FieldMap = ["data": Field(.scalar(.bytes(value)))]
                try await store.save(group.map { TestSchema.record($0, fields) })
                names.append(group)
            }
            let expected = (ascending ? names : names.reversed()).flatMap(\.self)
            let query = Query(recordType: "Thing", sorts: [Sort(.named("data"), ascending: ascending)])
            for work in Self.pages {
                for limit in [1, 3, 200] {
                    #expect(try await self.names(query, limit: limit, work: work, in: store) == expected, "\(work)")
                }
            }
        }
    }

    /// Ends where a page brings the query nowhere.
    private func names(
        _ query: Query, limit: Int, work: QueryWork, in store: any CloudStore
    ) async throws -> [String] {
        var names: [String] = []
        var resume: QueryPosition?
        repeat {
            let outcome = try await store.page(query, limit: limit, resume: resume, work: work)
            names += outcome.records.map(\.record.stored.recordName)
            let position = try outcome.position.map { try QueryPosition($0.bytes) }
            if let position { try #require(position != resume, "a page that does not advance") }
            resume = position
        } while resume != nil
        return names
    }
}
