import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

@Suite struct RecordCodingTests {
    @Test func recordsOfAnyContentComeBackToTheBit() throws {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        for _ in 0..<2_000 {
            let record = random.record()
            let bytes = record.stored
            let back = try StoredRecord(stored: bytes, version: record.version)
            // Compared by their bytes too: -0 equals 0, but is another value.
            #expect(back == record && back.stored == bytes, "seed \(seed)")
        }
    }

    @Test func damagedBytesAreRefusedOrReadAndNeverCrash() {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = random.record().stored
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            if (try? StoredRecord(stored: bytes, version: 1)) == nil { refused += 1 }
        }
        #expect(refused == 2_000, "seed \(seed)")
    }

    @Test func namesComeBack() throws {
        for entry in [
            NameEntry.deleted(Tombstone(recordType: "Note", version: .max, deleted: -1)), .live(0), .live(.max),
        ] {
            #expect(try NameEntry(stored: entry.stored) == entry)
        }
        #expect(throws: ByteReader.Malformed.self) { try NameEntry(stored: [1, 1]) }
    }

    @Test func aRecordThatWasNeverChangedHasOneStamp() throws {
        var random = RandomValues(seed: 2)
        var record = random.record()
        record.modified = record.created
        let once = record.stored.count
        #expect(try StoredRecord(stored: record.stored, version: record.version) == record)
        record.modified.timestamp += 1
        #expect(record.stored.count > once + record.created.userRecordName.utf8.count)
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
