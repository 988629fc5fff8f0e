import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Random queries of every comparator on every type it applies to, against a look at every record, while records come
/// and go between the pages.
@Suite struct QueryPropertyTests {
    struct Stored {
        let zone: QueryZone
        let record: StoredRecord
    }

    @Test(arguments: TestEngine.allCases, [Seed.draw(), 1])
    func answersEqualTheOracle(_ engine: TestEngine, seed: UInt64) async throws {
        print("QueryPropertyTests seed: \(seed)")
        var random = RandomRecords(generator: SeededRandom(seed: seed))
        try await engine.withStore { store in
            var records: [String: Stored] = [:]
            for number in 0..<120 {
                let zone = random.pick(TestSchema.zones)
                let stored = Stored(zone: zone, record: random.record("n\(number)"))
                records[stored.record.recordName] = stored
                try await store.save([stored.record], zone: zone.number)
            }
            var next = 120
            for round in 0..<(engine == .memory ? 150 : 60) {
                let comparators = StratusCloudModel.Comparator.allCases
                let query = random.query(of: round < 40 ? [comparators[round % comparators.count]] : comparators)
                let zones = random.generator.chance(50) ? TestSchema.zones : [random.pick(TestSchema.zones)]
                let work = random.work()
                try await check(query, zones, work, store, &records, &next, &random)
            }
        }
    }

    /// Whether a page brought the query forward.
    private func advances(from old: QueryPosition?, to new: QueryPosition?, _ query: Query) -> Bool {
        switch (old, new) {
        case (_, nil), (nil, _): return true
        case (.driver(_, let zone, let key)?, .driver(_, let other, let later)?):
            guard zone == other, let key else { return zone <= other }
            return later.map { key < $0 } ?? false
        case (.sorted(let position, let zone, _)?, .sorted(let later, let other, _)?):
            guard let sorts = try? QueryResolution.resolve(query, in: TestSchema.type).sorts else { return false }
            return MergedPosition(position: position, zone: zone).precedes(
                MergedPosition(position: later, zone: other), in: SortOrder(sorts: sorts))
        default: return false
        }
    }

    private func check(
        _ query: Query, _ zones: [QueryZone], _ work: QueryWork, _ store: any CloudStore,
        _ records: inout [String: Stored],
        _ next: inout Int, _ random: inout RandomRecords
    ) async throws {
        let oracle = QueryOracle(query: query)
        let before = records
        var removed: Set<String> = []
        var answer: [Stored] = []
        var resume: QueryPosition?
        var pages = 0
        repeat {
            let limit = random.pick([1, 2, 3, 7, 30, 200])
            let outcome = try await store.page(query, zones: zones, limit: limit, resume: resume, work: work)
            #expect(outcome.records.count <= limit)
            for item in outcome.records {
                #expect(records[item.record.stored.recordName]?.record == item.record.stored, "\(query)")
                #expect(oracle.matches(item.record.stored, in: item.zone.id), "\(query)")
                answer.append(Stored(zone: item.zone, record: item.record.stored))
            }
            let position = try outcome.position.map { try QueryPosition($0.bytes) }
            #expect(advances(from: resume, to: position, query), "\(query)")
            resume = position
            pages += 1
            // Where a page goes through a few keys only, records that come could be more than it goes through.
            if resume != nil, pages < 300, random.generator.chance(30),
                let victim = records.values.randomElement(using: &random.generator)
            {
                try await store.remove(victim.record, zone: victim.zone.number)
                records[victim.record.recordName] = nil
                removed.insert(victim.record.recordName)
                let zone = random.pick(TestSchema.zones)
                let stored = Stored(zone: zone, record: random.record("n\(next)"))
                next += 1
                records[stored.record.recordName] = stored
                try await store.save([stored.record], zone: zone.number)
            }
        } while resume != nil && pages < 10_000
        guard resume == nil else {
            Issue.record("no end: \(query) with \(work)")
            return
        }
        let names = answer.map(\.record.recordName)
        #expect(Set(names).count == names.count, "repeated: \(query)")
        let expected = before.values.filter { stored in
            zones.contains(stored.zone) && !removed.contains(stored.record.recordName)
                && oracle.matches(stored.record, in: stored.zone.id)
        }
        let lost = Set(expected.map(\.record.recordName)).subtracting(names)
        #expect(lost.isEmpty, "\(query) in \(zones)")
        guard !query.sorts.isEmpty else { return }
        for (left, right) in zip(answer, answer.dropFirst()) {
            switch oracle.precedes(left.record, right.record) {
            case true?: break
            case false?: Issue.record("\(right.record.recordName) before \(left.record.recordName) in \(query)")
            case nil:
                // A record's place is decided by the zone and the name where the sort keys agree.
                let isOrdered =
                    left.zone.number == right.zone.number
                    ? left.record.recordName < right.record.recordName : left.zone.number < right.zone.number
                #expect(isOrdered, "\(query)")
            }
        }
    }
}
