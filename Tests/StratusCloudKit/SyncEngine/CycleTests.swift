import CloudKit
import Foundation
import StratusTesting
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// What comes after what, within one send or fetch and from one to the next.
@Suite struct SyncCycleTests {
    private typealias Batch = CKSyncEngine.RecordZoneChangeBatch

    @Test func zonesThatAreAddedWhileRecordsAreToldGoFirstAgain() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        let more = CKRecordZone(zoneName: "More")
        let second = note("y", in: more.zoneID)
        app.onEvent.withLock {
            $0 = { event, engine in
                guard event.sentRecords?.savedRecords.first?.recordID == SyncApp.id("x") else { return }
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(second.recordID)])
                engine.state.add(pendingDatabaseChanges: [.saveZone(more)])
            }
        }
        app.onBatch.withLock {
            $0 = { [weak app] _, engine in
                guard let app else { return nil }
                return await Batch(pendingChanges: engine.state.pendingRecordZoneChanges) { recordID in
                    recordID == second.recordID ? second : app.record(for: recordID)
                }
            }
        }
        app.edit("x", "Hello")
        try await app.send()
        #expect(cloud.requests(.writes).map(\.calls) == [.saveZones, .saveRecords, .saveZones, .saveRecords])
        #expect(app.state.pendingRecordZoneChanges.isEmpty && app.state.pendingDatabaseChanges.isEmpty)
        #expect(app.log.names.count { $0.hasPrefix("willSendChanges") } == 1)
    }

    @Test func aThrottledBatchFailsRecordByRecord() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("x", "A")
        try await app.send()
        for name in ["x", "y", "z"] { app.edit(name, "B") }
        cloud.faults.inject(.error(.requestRateLimited, retryAfter: 30), on: .saveRecords)
        app.log.clear()
        let failure = await app.sendFailure()
        #expect(failure?.code == .requestRateLimited && failure?.retryAfterSeconds == 30)
        let sent = app.log.events.compactMap(\.sentRecords)
        #expect(sent.count == 1)
        #expect(sent.flatMap(\.failedRecordSaves).map(\.record.recordID.recordName) == ["x", "y", "z"])
        #expect(sent.flatMap(\.failedRecordSaves).allSatisfy { $0.error.code == .requestRateLimited })
        #expect(app.state.pendingRecordZoneChanges.count == 3)
    }

    @Test func optionsAreAskedForBeforeEachRequest() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 2))
        let ada = cloud.account("ada")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        for number in 0..<5 { a.edit("\(number)", "A") }
        try await a.send()
        let b = SyncApp(ada.device("b").container.privateCloudDatabase)
        let order = Lock<[String]>([])
        b.onOptions.withLock {
            $0 = { context in
                #expect(context.reason == .manual)
                let requests = cloud.requests(.reads).count
                order.withLock { $0.append("\(requests)") }
                return context.options
            }
        }
        cloud.forgetRequests()
        try await b.fetch()
        #expect(
            cloud.requests(.reads).map(\.calls) == [.fetchDatabaseChanges]
                + Array(repeating: .fetchZoneChanges, count: 3))
        #expect(order.withLock { $0 } == ["0", "1", "2", "3"])
    }

    @Test func aZoneThatLeavesTheScopeIsLeftForAnotherTime() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 2))
        let ada = cloud.account("ada")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        for number in 0..<5 { a.edit("\(number)", "A") }
        try await a.send()
        let b = SyncApp(ada.device("b").container.privateCloudDatabase)
        b.onOptions.withLock {
            $0 = { [weak b] context in
                guard b?.titles.isEmpty == false else { return context.options }
                return CKSyncEngine.FetchChangesOptions(scope: .allExcluding([SyncApp.zoneID]))
            }
        }
        try await b.fetch()
        #expect(b.titles.count == 2 && b.state.zoneIDsWithUnfetchedServerChanges == [SyncApp.zoneID])
        b.onOptions.withLock { $0 = nil }
        try await b.fetch()
        #expect(b.titles.count == 5 && b.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
        #expect(b.log.events.compactMap(\.fetchedRecords).flatMap(\.modifications).count == 5)
    }

    @Test func aZoneWhoseKeysWereGivenUpIsToldSo() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let container = ada.device("a").container
        let b = SyncApp(ada.device("b").container.privateCloudDatabase)
        try await container.privateCloudDatabase.save(CKRecordZone(zoneID: SyncApp.zoneID))
        let record = note("x", in: SyncApp.zoneID)
        record.encryptedValues["secret"] = "Hush"
        try await container.privateCloudDatabase.save(record)
        try await b.fetch()
        #expect(b.titles.count == 1)
        _ = try await container.encryption.resetEncryptedData()
        try await b.fetch()
        let deletions = b.log.events.compactMap(\.fetchedZones).flatMap(\.deletions)
        #expect(
            deletions == [CKDatabase.DatabaseChange.Deletion(zoneID: SyncApp.zoneID, reason: .encryptedDataReset)])
    }

    @Test func afterRefusedZonesWhatTheServerHasComesFirst() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = SyncApp(ada.container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        app.log.clear()
        cloud.faults.inject(.error(.quotaExceeded), on: .saveZones)
        app.onEvent.withLock {
            $0 = { event, engine in
                guard case .sentDatabaseChanges(let sent) = event, let failed = sent.failedZoneSaves.first else {
                    return
                }
                engine.state.add(pendingDatabaseChanges: [.saveZone(failed.zone)])
            }
        }
        app.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "More"))])
        await app.log.wait(for: "didSendChanges", count: 2)
        let cycles = app.log.names.filter { $0.hasPrefix("will") && !$0.contains("Zone") }
        #expect(cycles == ["willSendChanges(scheduled)", "willFetchChanges(scheduled)", "willSendChanges(scheduled)"])
        #expect(try await cloud.zones(of: ada).map(\.zoneName).contains("More"))
    }

    @Test func untrackedChangesAreSentWithoutBeingAsked() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        let record = note("untracked", in: SyncApp.zoneID)
        let isGiven = Lock(false)
        app.onBatch.withLock {
            $0 = { _, _ in
                let isFirst = isGiven.withLock { isGiven in
                    defer { isGiven = true }
                    return !isGiven
                }
                return isFirst ? Batch(recordsToSave: [record]) : nil
            }
        }
        app.state.hasPendingUntrackedChanges = true
        await app.log.wait { $0.contains { $0.sentRecords?.savedRecords.count == 1 } }
        await app.log.wait(for: "didSendChanges", count: 2)
        #expect(!app.state.hasPendingUntrackedChanges)
    }

    @Test(
        "The subscription that the app names is used, or another that tells of the same, and made if there is none",
        arguments: [("mine", "mine"), ("another", "another"), (nil, "mine")])
    func namedSubscription(former: String?, used: String) async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.device("b").container.privateCloudDatabase
        if let former { try await database.save(CKDatabaseSubscription(subscriptionID: former)) }
        let b = SyncApp(database, automatically: true, subscriptionID: "mine")
        await b.log.wait(for: "didSendChanges")
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == [used])
        #expect(b.state.read { $0.subscriptionID } == used)
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        a.edit("x", "Hello")
        try await a.send()
        await b.log.wait { $0.contains { $0.fetchedRecords != nil } }
        #expect(b.titles == ["x": "Hello"])
    }

    @Test func descriptionsHoldNoValues() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, repairs: false)
        app.edit("x", "Precious")
        try await app.send()
        cloud.faults.inject(.error(.quotaExceeded), on: .saveRecords)
        app.edit("x", "Precious, too")
        _ = await app.sendFailure()
        try await app.fetch()
        for event in app.log.events { #expect(!"\(event)".contains("Precious")) }
        let failure = try #require(app.log.events.compactMap(\.sentRecords).last?.failedRecordSaves.first)
        #expect("\(failure)" == "<FailedRecordSave: record=x, error=\(CKError.Code.quotaExceeded)>")
        let kept = try #require(app.serialization)
        #expect("\(kept)" == "<Serialization: pendingRecordZoneChanges=0, pendingDatabaseChanges=0>")
        #expect(
            "\(CKSyncEngine.Event.AccountChange.ChangeType.signOut(previousUser: SyncApp.id("me")))"
                == "signOut(previousUser: me)")
    }
}
