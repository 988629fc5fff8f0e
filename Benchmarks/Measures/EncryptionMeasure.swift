import CloudKit
import StratusCloudModel
import StratusTesting

/// What encrypted values cost the device, in a cloud in the process: no network hides it.
struct EncryptionMeasure {
    private static let times = 20_000
    private static let rounds = 5
    private static let batches = 10
    private static let batch = 400
    private static let text = "What is to be remembered of the matter"

    func findings() throws -> [Finding] {
        var (plain, encrypted): ([Double], [Double]) = ([], [])
        for _ in 0..<Self.rounds {
            plain.append(try records(isEncrypted: false))
            encrypted.append(try records(isEncrypted: true))
        }
        let other = Finding("local", "record of two texts saved and fetched, plain", median(plain), "µs/record")
        let own = Finding("local", "the same, encrypted", median(encrypted), "µs/record")
        return [try field(), other, own.compared(to: other, "plain")]
    }

    /// A value sealed and opened again; each record has a key of its own, so this is one of many records.
    private func field() throws -> Finding {
        let cipher = EncryptionFormats.FieldCipher(recordName: "note-1")
        let value = FieldValue.scalar(.string(Self.text))
        let start = Clock.now()
        for _ in 0..<Self.times {
            guard cipher.open(cipher.seal(value)) != nil else { throw BenchmarkError("a value does not open") }
        }
        return Finding(
            "local", "field sealed and opened", Clock.seconds(since: start) * 1e6 / Double(Self.times), "µs")
    }

    /// Microseconds a record.
    private func records(isEncrypted: Bool) throws -> Double {
        let seconds = try waiting {
            let cloud = try await LocalCloud()
            let database = cloud.account("ada").container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
            func make(_ numbers: Range<Int>) -> [CKRecord] {
                numbers.map { number in
                    let recordID = CKRecord.ID(recordName: "note-\(number)", zoneID: zone.zoneID)
                    let record = CKRecord(recordType: "Note", recordID: recordID)
                    if isEncrypted {
                        record.encryptedValues["title"] = "Note \(number)"
                        record.encryptedValues["text"] = Self.text
                    } else {
                        record["title"] = "Note \(number)"
                        record["text"] = Self.text
                    }
                    return record
                }
            }
            // Makes the type known, and the keys.
            try await database.save(make(-1..<0)[0])
            let start = Clock.now()
            for batch in 0..<Self.batches {
                let records = make(batch * Self.batch..<(batch + 1) * Self.batch)
                let saved = try await database.modifyRecords(saving: records, deleting: [])
                for (_, result) in saved.saveResults { _ = try result.get() }
                for (_, result) in try await database.records(for: records.map(\.recordID)) { _ = try result.get() }
            }
            return Clock.seconds(since: start)
        }
        return seconds * 1e6 / Double(Self.batches * Self.batch)
    }
}
