import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct IndexMaintenanceTests {
    /// Counts what an update writes.
    private final class Recorder: WriteTransaction {
        var written: [Key: [UInt8]] = [:]
        var cleared: Set<Key> = []

        func get(_ keys: [Key]) throws -> [[UInt8]?] { keys.map { written[$0] } }
        func entries(in range: KeyRange, limit: Int, reverse: Bool) throws -> [StoreEntry] { [] }
        func set(_ key: Key, _ value: [UInt8]) { written[key] = value }
        func clear(_ key: Key) { cleared.insert(key) }
        func clear(_ range: KeyRange) {}
    }

    @Test(arguments: TestEngine.allCases) func updatesLeaveExactlyTheEntriesOfTheRecord(_ engine: TestEngine)
        async throws
    {
        let seed = Seed.draw()
        print("IndexMaintenanceTests seed: \(seed)")
        var random = RandomRecords(generator: SeededRandom(seed: seed))
        try await engine.withStore { store in
            var versions: Set<UInt64> = []
            for _ in 0..<60 {
                let record = random.record("same")
                try await store.save([record])
                let expected = try IndexMaintenance.entries(of: record, in: TestSchema.type, zone: .default)
                let all = KeyRange(
                    lower: Key([Keyspace.Tag.index.rawValue]), upper: Key([Keyspace.Tag.cell.rawValue + 1]))
                let stored = try await store.read(TestSchema.partition) { try $0.entries(in: all, limit: 10_000) }
                #expect(stored.map(\.key) == expected.map(\.key))
                versions.insert(record.version)
                for (entry, wanted) in zip(stored, expected) {
                    let isType = entry.key == TypeIndex.key(of: record, zone: .default)
                    let layout: IndexEntry.Layout = isType ? .type : .value(.int64)
                    let hint = try #require(try IndexHint.version(in: entry.value, layout))
                    #expect(versions.contains(hint), "where the record lay when the entry was written")
                    guard isType else { continue }
                    #expect(
                        entry.value == Array(wanted.value.dropLast(IndexHint.value(record.version).count))
                            + IndexHint.value(hint))
                }
                #expect(stored.allSatisfy { $0.key.bytes.count < StoreLimits.keySize })
            }
        }
    }

    @Test func writesOnlyTheDifference() throws {
        let old = TestSchema.record(
            "r", ["integer": Field(.scalar(.int64(1))), "text": Field(.scalar(.string("one two")))])
        let recorder = Recorder()
        try IndexMaintenance.update(from: old, to: old, fields: TestSchema.indexed, zone: .default, in: recorder)
        #expect(recorder.written.isEmpty && recorder.cleared.isEmpty)
        var new = old
        new.fields["integer"] = Field(.scalar(.int64(2)))
        try IndexMaintenance.update(from: old, to: new, fields: TestSchema.indexed, zone: .default, in: recorder)
        #expect(recorder.written.count == 1 && recorder.cleared.count == 1)
        let remover = Recorder()
        try IndexMaintenance.update(from: new, to: nil, fields: TestSchema.indexed, zone: .default, in: remover)
        let entries = try IndexMaintenance.entries(of: new, in: TestSchema.type, zone: .default)
        #expect(remover.cleared == Set(entries.map(\.key)) && remover.written.isEmpty)
    }

    @Test func longestKeysFit() throws {
        let name = String(repeating: "\u{10FFFF}", count: ModelLimits.nameLength)
        let text = String(repeating: "\u{0}", count: 10_000)
        let record = TestSchema.record(
            name,
            [
                "text": Field(.scalar(.string(text))), "texts": Field(.list(of: .string, elements: [.string(text)])),
                "link": Field(.scalar(.reference(Reference(recordName: name)))),
                "data": Field(.scalar(.bytes(Array(repeating: 0, count: 10_000)))),
                "datas": Field(.list(of: .bytes, elements: [.bytes(Array(repeating: 0, count: 10_000))])),
            ])
        for entry in try IndexMaintenance.entries(of: record, in: TestSchema.type, zone: .default) {
            #expect(entry.key.bytes.count < StoreLimits.keySize)
        }
    }

    @Test func valuesSortAsTheirBytes() {
        let numbers: [Double] = RandomRecords.fractions
        let keys = numbers.compactMap { IndexValue.orderedBytes(.double($0)) }.map { Key($0) }
        #expect(keys == keys.sorted())
        #expect(IndexValue.orderedBytes(.double(-0.0)) == IndexValue.orderedBytes(.double(0)))
        let integers = RandomRecords.integers.compactMap { IndexValue.orderedBytes(.int64($0)) }.map { Key($0) }
        #expect(integers == integers.sorted())
    }
}
