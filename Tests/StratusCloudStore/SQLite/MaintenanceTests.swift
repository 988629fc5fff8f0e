import Foundation
import Testing

@testable import StratusCloudStore

@Suite struct MaintenanceTests {
    private let home = Partition("home")

    @Test func verifyingFindsDamageThatNobodyReads() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        try await store.set(Key("large"), [UInt8](repeating: 0xAB, count: 30_000), in: home)
        await store.close()
        let path = URL(fileURLWithPath: directory.file("stratus.db"))
        var bytes = try Data(contentsOf: path)
        let place = try #require(bytes.range(of: Data(repeating: 0xAB, count: 4_000))?.lowerBound)
        bytes[place] = 0
        try bytes.write(to: path)
        let reopened = try SQLiteStore(directory: directory.path)
        let error = await #expect(throws: StoreError.self) { try await reopened.verify() }
        #expect(error?.code == .corrupted)
        await reopened.close()
    }

    @Test func theLogIsBoundedWhileManyWrite() async throws {
        let directory = try TemporaryDirectory()
        var options = SQLiteStore.Options()
        options.checkpointPages = 16
        let store = try SQLiteStore(directory: directory.path, options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<16 {
                group.addTask {
                    for round in 0..<100 { try await store.set(Key("\(caller)-\(round)"), value(2_000), in: home) }
                }
            }
            try await group.waitForAll()
        }
        // 1,600 values of 2,000 bytes went through it.
        let sizes = store.statistics().fileSizes
        #expect(sizes["stratus.db-wal"] ?? .max < 1_000_000, "\(sizes)")
        await store.close()
    }
}
