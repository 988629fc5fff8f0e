import CloudKit
import Foundation
import StratusTestSupport
import Testing

/// The essential cases over a real server.
@Suite struct SyncServerTests {
    /// Devices of one person.
    private func devices(_ count: Int) async throws -> [CKContainer] {
        let tenant = try await Tenant(in: try await Cloud.shared())
        return try (0..<count).map { number in
            tenant.container(over: try tenant.transport(of: tenant.alice, clientID: "device-\(number)"))
        }
    }

    @Test("132, 133, 137, 142, 143: two devices") func twoDevices() async throws {
        let containers = try await devices(2)
        let a = SyncApp(containers[0].privateCloudDatabase), b = SyncApp(containers[1].privateCloudDatabase)
        for number in 0..<260 { a.edit("\(number)", "A") }
        try await a.send()
        #expect(a.log.names.first?.hasPrefix("accountChange(signIn") == true)
        #expect(a.log.events.compactMap(\.sentRecords).map(\.savedRecords.count) == [250, 10])
        try await b.fetch()
        #expect(b.titles.count == 260)
        a.edit("0", "A2", at: 1_000)
        b.edit("0", "B1", at: 999)
        try await a.send()
        #expect(await b.sendFailure()?.code == .partialFailure)
        try await b.send()
        try await a.fetch()
        #expect(a.titles["0"] == "A2" && b.titles["0"] == "A2")
        let again = SyncApp(containers[1].privateCloudDatabase, b.serialization)
        try await again.fetch()
        #expect(again.log.events.compactMap(\.fetchedRecords).flatMap(\.modifications).count <= 1)
        #expect(!again.log.names.contains { $0.hasPrefix("accountChange") })
        try await containers[0].privateCloudDatabase.deleteRecordZone(withID: SyncApp.zoneID)
        try await b.fetch()
        #expect(b.titles.isEmpty)
    }

    @Test func whatIsEditedHereAppearsThere() async throws {
        let containers = try await devices(2)
        let a = SyncApp(containers[0].privateCloudDatabase, automatically: true)
        let b = SyncApp(containers[1].privateCloudDatabase, automatically: true)
        await a.log.wait(for: "sentDatabaseChanges")
        await b.log.wait(for: "sentDatabaseChanges")
        a.edit("x", "Hello")
        await b.log.wait { $0.compactMap(\.fetchedRecords).flatMap(\.modifications).count == 1 }
        b.edit("x", "Goodbye", at: 10)
        await a.log.wait { events in
            events.compactMap(\.fetchedRecords).flatMap(\.modifications).contains { $0.record["title"] == "Goodbye" }
        }
        #expect(a.titles == b.titles)
    }
}
