import CloudKit
import Foundation
import StratusTesting
import Testing

@Suite struct SyncSendingTests {
    @Test("132: signing in is told before anything is sent") func signInComesFirst() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "Hello")
        try await app.send()
        #expect(app.log.names.first?.hasPrefix("accountChange(signIn") == true)
        #expect(app.log.names.count { $0.hasPrefix("accountChange") } == 1)
        #expect(try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada")).count == 1)
    }

    @Test("37, 133: batches are asked for until there are none") func batches() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        for number in 0..<444 { app.edit("\(number)", "\(number)") }
        try await app.send()
        let sent = app.log.events.compactMap(\.sentRecords)
        #expect(sent.map(\.savedRecords.count) == [250, 194])
        #expect(sent.flatMap(\.savedRecords).allSatisfy { $0.recordChangeTag != nil })
        #expect(app.state.pendingRecordZoneChanges.isEmpty && app.state.pendingDatabaseChanges.isEmpty)
        #expect(try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada")).count == 444)
        app.log.clear()
        try await app.send()
        #expect(app.log.names == ["willSendChanges(manual)", "didSendChanges(manual)"])
    }

    @Test("134: zones go before records") func zonesFirst() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "Hello")
        try await app.send()
        #expect(
            app.log.names.dropFirst() == [
                "willSendChanges(manual)",
                "sentDatabaseChanges(saved: 1, failedSaves: 0, deleted: 0, failedDeletes: 0)",
                "sentRecordZoneChanges(saved: 1, failedSaves: 0, deleted: 0, failedDeletes: 0)",
                "didSendChanges(manual)",
            ])
        #expect(cloud.requests(.writes).map(\.calls) == [.saveZones, .saveRecords])
    }

    @Test("138: without automatic synchronization nothing happens until it is asked for") func manual() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "Hello")
        await app.log.wait(for: "stateUpdate")
        #expect(cloud.requests.isEmpty)
        #expect(app.log.names.isEmpty)
    }

    @Test("139: a record that the provider does not give is passed over") func providerGivesNothing() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "Hello")
        app.state.add(pendingRecordZoneChanges: [.saveRecord(SyncApp.id("gone"))])
        try await app.send()
        #expect(app.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("gone"))])
        app.state.remove(pendingRecordZoneChanges: [.saveRecord(SyncApp.id("gone"))])
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("140: an edit between the batch and its result is sent, too") func editWhileSending() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "First")
        try await app.send()
        app.edit("a", "Second")
        cloud.faults.inject(.latency(.seconds(1)), on: .saveRecords)
        cloud.clock.stop()
        let sending = Task { try await app.send() }
        await cloud.clock.untilWaiting()
        app.edit("a", "Third")
        #expect(app.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("a"))])
        cloud.clock.resume()
        try await sending.value
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
        let stored = try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada"))
        #expect(stored.map { $0["title"] as? String } == ["Third"])
    }

    @Test("140: an edit while the batch is made is sent, too") func editWhileBatching() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "First")
        app.onBatch.withLock {
            $0 = { [weak app] _, engine in
                guard let app, let record = app.record(for: SyncApp.id("a")) else { return nil }
                app.onBatch.withLock { $0 = nil }
                app.edit("a", "Second")
                return CKSyncEngine.RecordZoneChangeBatch(recordsToSave: [record])
            }
        }
        try await app.send()
        let stored = try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada"))
        #expect(stored.map { $0["title"] as? String } == ["Second"])
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test("145: only what is in the scope is sent") func scope() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        app.edit("b", "B")
        let elsewhere = CKRecordZone(zoneName: "Elsewhere")
        app.state.add(pendingDatabaseChanges: [.saveZone(elsewhere)])
        try await app.engine.sendChanges(.init(scope: .recordIDs([SyncApp.id("b")])))
        #expect(
            try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada")).map(\.recordID.recordName) == ["b"])
        #expect(app.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("a"))])
        #expect(app.state.pendingDatabaseChanges == [.saveZone(elsewhere)])
        try await app.engine.sendChanges(.init(scope: .allExcluding([SyncApp.zoneID])))
        #expect(app.state.pendingDatabaseChanges.isEmpty && app.state.pendingRecordZoneChanges.count == 1)
        try await app.engine.sendChanges(.init(scope: .zoneIDs([SyncApp.zoneID])))
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test func deletionsAreSent() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.delete("a")
        try await app.send()
        #expect(app.log.events.compactMap(\.sentRecords).last?.deletedRecordIDs == [SyncApp.id("a")])
        #expect(try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada")).isEmpty)
        app.state.add(pendingDatabaseChanges: [.deleteZone(SyncApp.zoneID)])
        try await app.send()
        #expect(try await cloud.zones(of: cloud.account("ada")).isEmpty)
    }

    @Test(
        "What passes stays pending, what does not is removed",
        arguments: [
            (CKError.Code.networkFailure, true), (.networkUnavailable, true), (.requestRateLimited, true),
            (.serviceUnavailable, true), (.zoneBusy, true), (.notAuthenticated, true),
            (.accountTemporarilyUnavailable, true), (.serverResponseLost, true), (.quotaExceeded, false),
            (.permissionFailure, false), (.invalidArguments, false), (.limitExceeded, false), (.internalError, false),
            (.serverRecordChanged, false), (.unknownItem, false), (.zoneNotFound, false), (.batchRequestFailed, false),
        ]) func kept(code: CKError.Code, isKept: Bool) async throws
    {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, repairs: false)
        app.edit("a", "A")
        try await app.send()
        app.edit("a", "B")
        cloud.faults.inject(.error(code), on: .saveRecords)
        let failure = await app.sendFailure()
        let item = failure?.partialErrorsByItemID?[SyncApp.id("a")] as? CKError
        #expect((item ?? failure)?.code == code)
        #expect(app.log.events.compactMap(\.sentRecords).last?.failedRecordSaves.map(\.error.code) == [code])
        #expect(app.state.pendingRecordZoneChanges.count == (isKept ? 1 : 0))
    }

    @Test func aLostAnswerIsNoConflict() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.edit("a", "B")
        cloud.faults.inject(.dropAfterCommit, on: .saveRecords)
        try await app.send()
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
        #expect(cloud.faults.pending.isEmpty)
    }

    @Test func untrackedChangesAreAskedFor() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, repairs: false)
        try await app.send()
        app.state.hasPendingUntrackedChanges = true
        let record = note("untracked", in: SyncApp.zoneID)
        app.onBatch.withLock { $0 = { _, _ in CKSyncEngine.RecordZoneChangeBatch(recordsToSave: [record]) } }
        cloud.faults.inject(.error(.networkFailure), on: .saveRecords)
        #expect(await app.sendFailure()?.code == .networkFailure)
        #expect(app.state.hasPendingUntrackedChanges)
        let isSent = Once<Bool>()
        app.onBatch.withLock {
            $0 = { _, _ in
                guard record.recordChangeTag == nil else { return nil }
                isSent.arrive(true)
                return CKSyncEngine.RecordZoneChangeBatch(recordsToSave: [record])
            }
        }
        try await app.send()
        #expect(await isSent.value)
        #expect(!app.state.hasPendingUntrackedChanges)
    }
}
