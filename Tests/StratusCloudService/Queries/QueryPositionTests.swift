import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct QueryPositionTests {
    private static let positions: [QueryPosition] = [
        .driver(3, zone: .default, after: nil), .driver(0, zone: ZoneNumber(rawValue: 300), after: Key([1, 2, 255])),
        .sorted(SortedPosition(components: [], tail: .start), zone: .default, strategy: .choose),
        .sorted(
            SortedPosition(
                components: [.missing, .value([1, 2]), .place(distance: 12.5, Cell(rawValue: 77))], tail: .after("näme")
            ),
            zone: .default, strategy: .candidates(driver: 2)),
        .sorted(SortedPosition(components: [.value([])], tail: .end), zone: .default, strategy: .scan),
    ]

    @Test(arguments: positions) func survivesItsBytes(_ position: QueryPosition) throws {
        #expect(try QueryPosition(position.bytes) == position)
    }

    @Test func otherBytesAreRefusedOrMeanWhatTheySay() {
        let seed = Seed.draw()
        print("QueryPositionTests seed: \(seed)")
        var generator = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            var bytes = Self.positions.randomElement(using: &generator)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.append(.random(in: 0...255, using: &generator))
                case 1: bytes = Array(bytes.dropLast(Int.random(in: 0...4, using: &generator)))
                case 2 where !bytes.isEmpty:
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                        1 << UInt8.random(in: 0...7, using: &generator)
                default:
                    bytes.insert(
                        .random(in: 0...255, using: &generator), at: Int.random(in: 0...bytes.count, using: &generator))
                }
            }
            if let position = try? QueryPosition(bytes) { #expect(position.bytes == bytes) }
        }
    }

    @Test func positionsOfOtherQueriesAreRefused() async throws {
        let store = MemoryStore()
        try await store.save((0..<5).map { TestSchema.record("r\($0)") })
        let plain = Query(recordType: "Thing")
        let byName = Query(recordType: "Thing", sorts: [Sort(.system(.recordName))])
        let byDistance = Query(
            recordType: "Thing", sorts: [Sort(.named("place"), relativeLocation: Location(latitude: 0, longitude: 0))])
        let unsorted = try #require(try await store.page(plain, limit: 1).position)
        let sorted = try #require(try await store.page(byName, limit: 1).position)
        for (query, position) in [
            (plain, sorted), (byName, unsorted), (byDistance, sorted),
            (plain, .driver(7, zone: .default, after: nil)),
        ] {
            await #expect(throws: CloudError.self) { try await store.page(query, limit: 1, resume: position) }
        }
    }

    /// Sealed positions are only ever foreign by mistake, but nothing else may happen either.
    @Test func mutatedPositionsNeverCrashAQuery() async throws {
        let seed = Seed.draw()
        print("QueryPositionTests seed: \(seed)")
        var random = RandomRecords(generator: SeededRandom(seed: seed))
        let store = MemoryStore()
        try await store.save((0..<60).map { random.record("r\($0)") })
        for _ in 0..<300 {
            let query = random.query(of: StratusCloudModel.Comparator.allCases)
            guard var bytes = try await store.page(query, limit: 2).position?.bytes else { continue }
            let index = Int.random(in: 0..<bytes.count, using: &random.generator)
            bytes[index] = .random(in: 0...255, using: &random.generator)
            guard let position = try? QueryPosition(bytes) else { continue }
            _ = try? await store.page(query, limit: 2, resume: position)
        }
    }
}
