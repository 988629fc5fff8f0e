import CloudKit
import StratusTesting

// Makes, uses and drops clouds, as many as its first argument says to warm up and then as many as the second says, and
// prints what the process held between and afterwards: resident bytes, file descriptors, threads. A process of its own,
// because tests that run beside would count.

/// What went otherwise than a test would expect.
struct Unexpected: Error { let what: String }

/// What a process holds, by what Linux says of it.
struct Holdings {
    let residentBytes: Int
    let descriptors: Int
    let threads: Int

    init() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        func figure(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
            return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
        }
        residentBytes = figure("VmRSS") * 1_024
        threads = figure("Threads")
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    func print() { Swift.print(residentBytes, descriptors, threads) }
}

/// All that a test does with a cloud: two devices, records, a push, a fault.
func useCloud(_ number: Int) async throws {
    let cloud = try await LocalCloud()
    let ada = cloud.account("ada")
    let laptop = ada.device("laptop")
    let database = ada.container.privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: "Notes")
    try await laptop.container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    try await database.save(CKRecordZone(zoneID: zoneID))
    let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a", zoneID: zoneID))
    record["title"] = "\(number)"
    try await database.save(record)
    cloud.faults.inject(.offline, on: .saveRecords)
    do {
        try await database.save(CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "b", zoneID: zoneID)))
        throw Unexpected(what: "a save without a network")
    } catch let error as CKError where error.code == .networkUnavailable {}
    guard try await !laptop.takeNotifications().isEmpty else { throw Unexpected(what: "no push") }
    guard try await cloud.records(in: zoneID, of: ada).count == 1 else { throw Unexpected(what: "other records") }
}

let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard numbers.count == 2 else { throw Unexpected(what: "arguments") }
for number in 0..<numbers[0] { try await useCloud(number) }
try Holdings().print()
for number in 0..<numbers[1] { try await useCloud(number) }
try Holdings().print()
