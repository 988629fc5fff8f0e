import CloudModel
import Testing

@testable import CloudService

@Suite struct RecordCodingTests {
    @Test func recordsOfAnyContentComeBackToTheBit() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomValues(seed: seed)
        for _ in 0..<2_000 {
            let record = random.record()
            let bytes = RecordSlot.live(record).stored
            let back = try RecordSlot(stored: bytes, recordName: record.recordName)
            // Compared by their bytes too: -0 equals 0, but is another value.
            #expect(back == .live(record) && back.stored == bytes, "seed \(seed)")
        }
    }

    @Test func damagedBytesAreRefusedOrReadAndNeverCrash() {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomValues(seed: seed)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = RecordSlot.live(random.record()).stored
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            if (try? RecordSlot(stored: bytes, recordName: "r")) == nil { refused += 1 }
        }
        #expect(refused == 2_000, "seed \(seed)")
    }

    @Test func tombstonesComeBack() throws {
        let slot = RecordSlot.deleted(Tombstone(recordType: "Note", version: .max, deleted: -1))
        #expect(try RecordSlot(stored: slot.stored, recordName: "r") == slot)
    }

    @Test func changeTagsAreShortAndDiffer() {
        var random = RandomValues(seed: 1)
        var record = random.record()
        record.version = 35
        #expect(record.changeTag == "z")
        record.version = 36
        #expect(record.changeTag == "10")
    }
}
