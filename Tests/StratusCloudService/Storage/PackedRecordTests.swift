import StratusCloudModel
import StratusCloudWire
import StratusSeeds
import Testing

@testable import StratusCloudService

/// Records that are shown where they lie look like those that were read.
@Suite struct PackedRecordTests {
    private let zone = ZoneID(zoneName: "Z", ownerRecordName: "_u")

    private func show(
        _ stored: StoredRecord, wanted: Set<String>? = nil, to receiver: inout some ZoneChangesReceiver
    ) throws {
        try stored.stored.withUnsafeBytes { bytes in
            try receiver.saved(
                StoredRecordView(stored: bytes, version: stored.version, zoneID: zone, wanted: wanted))
        }
    }

    @Test("An answer written from stored forms has the bytes of one written from values")
    func answers() throws {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        for _ in 0..<300 {
            var context = WireContext(callerRecordName: "_u", requestUUID: "U")
            if Bool.random(using: &random) {
                context.showAsset = { asset, field, record, zone in
                    Asset(fileChecksum: "\(field) \(record) \(zone.zoneName)", size: asset.size)
                }
            }
            let encoder = ResponseEncoder(context: context)
            let options = [WireOptions(numbersAsStrings: Bool.random(using: &random))]
            var writer = ZoneChangesWriter(encoder, options: options)
            var collector = ZoneChangesCollector()
            let records = (0..<Int.random(in: 0...8, using: &random)).map { _ in random.record() }
            let wanted: Set<String>? =
                Bool.random(using: &random) ? nil : Set(records.flatMap { $0.fields.prefix(3).map(\.name) } + ["?"])
            writer.begin(zone, expecting: 8)
            collector.begin(zone, expecting: 8)
            var changes: [RecordChange] = []
            for record in records {
                try show(record, wanted: wanted, to: &writer)
                try show(record, wanted: wanted, to: &collector)
                changes.append(.saved(record.record(in: zone).keepingFields(wanted.map(Array.init))))
            }
            writer.deleted(recordName: "r", recordType: "T")
            collector.deleted(recordName: "r", recordType: "T")
            changes.append(.deleted(recordName: "r", recordType: "T", zoneID: zone))
            let reverse = Bool.random(using: &random)
            let token: [UInt8]? = reverse ? nil : [1, 2, 3]
            writer.end(syncToken: "t", moreComing: true, reverse: reverse, clientChangeToken: token)
            collector.end(syncToken: "t", moreComing: true, reverse: reverse, clientChangeToken: token)
            let page = ZoneChangesPage(
                changes: changes, syncToken: "t", moreComing: true, reverse: reverse, clientChangeToken: token)
            #expect(collector.results == [.page(zone, page)], "seed \(seed)")
            #expect(writer.changes == changes.count)
            #expect(writer.finish() == encoder.zoneChanges([.page(zone, page)], options: options), "seed \(seed)")
        }
    }

    @Test func changeTagsAreVersionsInBase36() {
        for shift in 0..<64 {
            for version in [UInt64.max >> UInt64(shift), 1 << UInt64(shift), 35, 36, 0] {
                #expect(StoredRecord.changeTag(version) == String(version, radix: 36))
            }
        }
    }

    @Test("Whatever the bytes are, they are refused, or shown to their end")
    func damage() {
        let seed = Seed.draw()
        var random = RandomValues(seed: seed)
        for _ in 0..<5_000 {
            var bytes = random.record().stored
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            var writer = ZoneChangesWriter(ResponseEncoder(context: WireContext(requestUUID: "U")))
            writer.begin(zone, expecting: 1)
            bytes.withUnsafeBytes { bytes in
                guard let view = try? StoredRecordView(stored: bytes, version: 1, zoneID: zone) else { return }
                let isShown = (try? writer.saved(view)) != nil
                let record = try? view.record()
                #expect(isShown == (record != nil), "seed \(seed)")
                if let fields = record?.fields { #expect(Array(fields).count == fields.count, "seed \(seed)") }
                let packed = try? StoredRecord(packing: Array(bytes), version: 1)
                #expect((packed == nil) == (record == nil), "seed \(seed)")
                guard let fields = packed?.fields else { return }
                let entries = Array(fields)
                // Names that are no longer ASCII are not looked for; of two that are the same the first is found. Only the
                // types, because a damaged number may be none.
                for entry in entries where entry.name.utf8.allSatisfy({ $0 < 0x80 }) {
                    let first = entries.first { $0.name == entry.name }
                    #expect(fields[entry.name]?.type == first?.field.type, "seed \(seed)")
                }
            }
        }
    }
}
