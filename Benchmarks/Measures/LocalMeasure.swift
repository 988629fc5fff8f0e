import CloudKit
import StratusCAllocations
import StratusTesting

/// What needs no server: a cloud in the process, a predicate, a record.
struct LocalMeasure {
    let bench: Bench

    private static let clouds = 1_000
    private static let times = 20_000
    private static let greatestMilliseconds = 5.0

    func findings() throws -> [Finding] {
        [try cloud(), predicate(), record()] + (try EncryptionMeasure().findings())
    }

    private func cloud() throws -> Finding {
        let times = try waiting {
            var times: [Double] = []
            for _ in 0..<Self.clouds {
                let start = Clock.now()
                let cloud = try await LocalCloud()
                times.append(Clock.seconds(since: start) * 1_000)
                try await cloud.account("ada").container.privateCloudDatabase.save(CKRecord(recordType: "Note"))
            }
            return times
        }
        let time = median(times)
        let slowest = times.sorted()[Self.clouds * 99 / 100]
        return Finding("local", "LocalCloud() ready", time, "ms")
            .noted("\(Self.clouds) clouds; one in a hundred took \(Table.number(slowest)) ms or longer")
            .judged("≤ 5 ms", time <= Self.greatestMilliseconds)
    }

    private func predicate() -> Finding {
        measured("NSPredicate(format:) of three comparisons") {
            _ = NSPredicate(format: "title BEGINSWITH %@ AND number >= %d AND rating < %f", "N", 7, 2.5)
        }
    }

    private func record() -> Finding {
        let zoneID = CKRecordZone.ID(zoneName: "Notes")
        return measured("CKRecord with ten fields") {
            let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a note", zoneID: zoneID))
            record["title"] = "A note"
            record["text"] = "What is to be remembered of the matter"
            record["number"] = 7
            record["rating"] = 2.5
            record["edited"] = Date(timeIntervalSince1970: 1_700_000_000)
            record["done"] = true
            record["tags"] = ["a", "b"]
            record["place"] = CLLocation(latitude: 52.5, longitude: 13.4)
            record["data"] = Data([1, 2, 3])
            record["about"] = CKRecord.Reference(recordID: record.recordID, action: .none)
        }
    }

    /// Time and allocations of one go, on a warm machine.
    private func measured(_ name: String, _ body: () -> Void) -> Finding {
        for _ in 0..<1_000 { body() }
        let allocations = stratus_allocations()
        let start = Clock.now()
        for _ in 0..<Self.times { body() }
        let seconds = Clock.seconds(since: start)
        let each = Double(stratus_allocations() - allocations) / Double(Self.times)
        return Finding("local", name, seconds * 1e6 / Double(Self.times), "µs")
            .noted("\(name): \(Table.number(each)) allocations")
    }
}
