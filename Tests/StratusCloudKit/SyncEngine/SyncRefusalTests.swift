import CloudKit
import Foundation
import StratusTestSupport
import StratusTesting
import StratusWorkers
import Testing

/// What the cloud refuses an engine, over both ways to it. Numbers are those of the behaviour cases.
@Suite struct SyncRefusalTests {
    /// Two devices of one person.
    private struct Devices {
        let a: CKDatabase
        let b: CKDatabase
        /// Requests so far that change records.
        let writes: @Sendable () -> Int
    }

    private func devices(_ door: Door) async throws -> Devices {
        switch door {
        case .inProcess:
            let cloud = try await LocalCloud()
            let ada = cloud.account("ada")
            return Devices(
                a: ada.device("a").container.privateCloudDatabase, b: ada.device("b").container.privateCloudDatabase,
                writes: { cloud.requests([.saveRecords, .deleteRecords]).count })
        case .http:
            let tenant = try await Tenant(in: try await Cloud.shared())
            let count = Lock(0)
            let databases = try ["a", "b"].map { name in
                var way = TappedTransport(try tenant.transport(of: tenant.alice, clientID: name))
                way.sending = { request in if case .modifyRecords = request.call { count.withLock { $0 += 1 } } }
                return tenant.container(over: way).privateCloudDatabase
            }
            return Devices(a: databases[0], b: databases[1], writes: { count.withLock { $0 } })
        }
    }

    private func title(_ name: String, in database: CKDatabase) async throws -> String? {
        try await database.record(for: SyncApp.id(name))["title"]
    }

    @Test("135: what a record fails with is told and thrown, and not tried again", arguments: Door.allCases)
    func failures(_ door: Door) async throws {
        let devices = try await devices(door)
        let app = SyncApp(devices.a)
        app.edit("a", "Hello")
        try await app.send()

        let other = try await devices.b.record(for: SyncApp.id("a"))
        other["title"] = "Theirs"
        try await devices.b.save(other)
        for code in [CKError.Code.serverRecordChanged, .unknownItem, .zoneNotFound] {
            if code == .unknownItem { try await devices.b.deleteRecord(withID: SyncApp.id("a")) }
            if code == .zoneNotFound { try await devices.b.deleteRecordZone(withID: SyncApp.zoneID) }
            app.edit("a", "Mine \(code)")
            app.log.clear()
            let before = devices.writes()
            let error = await app.sendFailure()
            #expect(error?.code == .partialFailure)
            #expect((error?.partialErrorsByItemID?[SyncApp.id("a")] as? CKError)?.code == code)
            let sent = app.log.events.compactMap(\.sentRecords)
            #expect(sent.flatMap(\.failedRecordSaves).map(\.error.code) == [code])
            #expect(devices.writes() - before == 1)
            #expect(app.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("a"))])
            try await app.send()
            #expect(app.state.pendingRecordZoneChanges.isEmpty)
        }
        #expect(try await title("a", in: devices.b) == "Mine zoneNotFound")
    }

    @Test(
        "136, 137: a conflict leaves one change with who lost, and both end with the later edit",
        arguments: Door.allCases, [true, false])
    func conflict(_ door: Door, winnerSavesFirst: Bool) async throws {
        let devices = try await devices(door)
        let a = SyncApp(devices.a)
        let b = SyncApp(devices.b)
        a.edit("x", "A1", at: 1)
        try await a.send()
        try await b.fetch()
        #expect(b.titles == ["x": "A1"])
        a.edit("x", "A2", at: 3)
        b.edit("x", "B1", at: 2)
        let (first, second) = winnerSavesFirst ? (a, b) : (b, a)
        try await first.send()
        let error = await second.sendFailure()
        #expect((error?.partialErrorsByItemID?[SyncApp.id("x")] as? CKError)?.code == .serverRecordChanged)
        #expect(first.state.pendingRecordZoneChanges.isEmpty)
        #expect(second.state.pendingRecordZoneChanges.count == 1)
        try await second.send()
        try await first.fetch()
        #expect(a.titles == ["x": "A2"] && b.titles == ["x": "A2"])
    }

    @Test("141: who failed only with others is added again and succeeds", arguments: Door.allCases)
    func batchRequestFailed(_ door: Door) async throws {
        let devices = try await devices(door)
        let app = SyncApp(devices.a)
        app.edit("a", "A")
        try await app.send()
        let other = try await devices.b.record(for: SyncApp.id("a"))
        other["edited"] = 0
        try await devices.b.save(other)
        app.edit("a", "A2")
        app.edit("b", "B")
        app.onBatch.withLock {
            $0 = { [weak app] _, engine in
                guard let app else { return nil }
                app.onBatch.withLock { $0 = nil }
                let records = ["a", "b"].compactMap { app.record(for: SyncApp.id($0)) }
                return CKSyncEngine.RecordZoneChangeBatch(recordsToSave: records, atomicByZone: true)
            }
        }
        #expect(await app.sendFailure()?.partialErrorsByItemID?.count == 2)
        let codes = app.log.events.compactMap(\.sentRecords).flatMap(\.failedRecordSaves).map(\.error.code)
        #expect(Set(codes) == [.serverRecordChanged, .batchRequestFailed])
        try await app.send()
        #expect(try await title("a", in: devices.b) == "A2")
        #expect(try await title("b", in: devices.b) == "B")
    }
}
