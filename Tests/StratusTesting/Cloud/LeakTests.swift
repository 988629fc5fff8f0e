import CloudKit
import StratusTesting
import Testing

/// What a process holds, by what Linux says of it.
private struct Holdings {
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
}

@Suite(.serialized) struct LeakTests {
    private static let clouds = 1_000

    /// All that a test does with a cloud: two people, three devices, records, a push, a fault.
    private func useOne(_ number: Int) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let laptop = ada.device("laptop")
        let database = ada.container.privateCloudDatabase
        try await laptop.container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
        try await database.save(CKRecordZone(zoneID: notes))
        try await database.save(note("a", in: notes, "\(number)"))
        cloud.faults.inject(.offline, on: .saveRecords)
        let error = await failure { try await database.save(note("b", in: notes)) }
        #expect(error?.code == .networkUnavailable)
        #expect(try await laptop.takeNotifications().isEmpty == false)
        #expect(try await cloud.records(in: notes, of: ada).count == 1)
    }

    @Test("1,000 clouds, made, used and dropped, leave nothing behind")
    func nothingStays() async throws {
        weak var last: LocalCloud?
        do {
            let cloud = try await LocalCloud()
            try await cloud.account("ada").container.privateCloudDatabase.save(note("a"))
            last = cloud
        }
        #expect(last == nil)
        // What is made once for the process, and what the allocator keeps, are there after the first few.
        for number in 0..<200 { try await useOne(number) }
        let before = try Holdings()
        for number in 0..<Self.clouds { try await useOne(number) }
        let after = try Holdings()
        // A cloud holds some 100 KB: a thousand that stay would be 100 MB.
        #expect(after.residentBytes - before.residentBytes < 12 << 20)
        // Other suites of the process run beside this one.
        #expect(after.descriptors - before.descriptors < 50)
        #expect(after.threads - before.threads < 20)
    }
}
