import StratusCloudModel
import StratusCloudStore
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Fields that stay as they are stored look like those that are read at once.
@Suite struct StoredFieldsTests {
    @Test func packedRecordsAreTheSameRecords() throws {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        let zone = ZoneID(zoneName: "Z", ownerRecordName: "_u")
        for _ in 0..<1_000 {
            let stored = random.record()
            let whole = stored.record(in: zone)
            let row = RecordRow(version: stored.version, bytes: stored.stored)
            #expect(try row.packingRecord() == stored && row.record() == stored, "seed \(seed)")
            let packed = try row.packedRecord(in: zone)
            #expect(packed == whole && packed.hashValue == whole.hashValue, "seed \(seed)")
            #expect(packed.fields.count == whole.fields.count)
            var (seen, wanted) = (Visitor(), Visitor())
            packed.fields.visit(&seen)
            whole.fields.visit(&wanted)
            #expect(seen.seen == wanted.seen, "seed \(seed)")
            for entry in whole.fields { #expect(packed.fields[entry.name] == entry.field) }
            #expect(packed.fields["no field"] == nil)
            let some = whole.fields.prefix(2).map(\.name) + ["no field"]
            #expect(packed.keepingFields(some) == whole.keepingFields(some))
            var changed = packed
            changed.fields["another"] = Field(.scalar(.int64(1)))
            var other = whole
            other.fields["another"] = Field(.scalar(.int64(1)))
            #expect(changed == other && packed == whole, "seed \(seed)")
        }
    }

    @Test func whatCannotBeReadIsRefusedAtOnce() {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = random.record().stored
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            } else {
                bytes.append(.random(in: 0...255, using: &random))
            }
            if (try? RecordRow(version: 1, bytes: bytes).packedRecord(in: .default)) == nil { refused += 1 }
            #expect((try? StoredRecord(stored: bytes, version: 1)) == nil, "seed \(seed)")
            #expect((try? StoredRecord(packing: bytes, version: 1)) == nil, "seed \(seed)")
        }
        #expect(refused == 2_000, "seed \(seed)")
    }

    @Test("A save takes no more rows and bytes than when records lay under their names")
    func costs() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let operations = (0..<100).map { number in
            RecordOperation.make(
                .create, "00000000-0000-0000-0000-\(100_000_000_000 + number)",
                ["title": .text("Number \(number)"), "count": .integer(Int64(number)), "text": .text("some words")])
        }
        func rows() async throws -> [Key: [UInt8]] {
            try await cloud.store.read(cloud.database) { transaction in
                let all = try transaction.entries(in: KeyRange(lower: Key(), upper: Key([0xFF])), limit: .max)
                return Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0.value) })
            }
        }
        func size(_ rows: [Key: [UInt8]]) -> Int { rows.reduce(0) { $0 + $1.key.bytes.count + $1.value.count } }
        _ = try await cloud.modify(operations, zone: "Z")
        let now = try await rows()
        let former = try FormerData.rows(from: now)
        print("100 records: \(now.count) rows, \(size(now)) bytes; before \(former.count), \(size(former))")
        #expect(now.count == former.count)
        #expect(size(now) <= size(former))
    }

    /// Puts together again what it is shown.
    private struct Visitor: FieldVisitor {
        var seen: [FieldMap.Entry] = []
        private var members: [ScalarValue] = []
        private var name = ""

        mutating func text(_ name: Text, _ value: Text, isEncrypted: Bool) {
            field(name, Field(.scalar(.string(Self.string(value))), isEncrypted: isEncrypted))
        }

        mutating func integer(_ name: Text, _ value: Int64, isEncrypted: Bool) {
            field(name, Field(.scalar(.int64(value)), isEncrypted: isEncrypted))
        }

        mutating func double(_ name: Text, _ value: Double, isEncrypted: Bool) {
            field(name, Field(.scalar(.double(value)), isEncrypted: isEncrypted))
        }

        mutating func timestamp(_ name: Text, _ value: Timestamp, isEncrypted: Bool) {
            field(name, Field(.scalar(.timestamp(value)), isEncrypted: isEncrypted))
        }

        mutating func beginTexts(_ name: Text) { (self.name, members) = (Self.string(name), []) }

        mutating func member(_ text: Text) { members.append(.string(Self.string(text))) }

        mutating func endTexts(isEncrypted: Bool) {
            let list = Field(.list(of: .string, elements: members), isEncrypted: isEncrypted)
            seen.append(FieldMap.Entry(name: name, field: list))
        }

        mutating func field(_ name: Text, _ field: Field) {
            seen.append(FieldMap.Entry(name: Self.string(name), field: field))
        }

        private static func string(_ text: Text) -> String { String(decoding: text, as: UTF8.self) }
    }
}
