import CloudKit
import Foundation
import StratusTesting
import StratusWorkers
import Testing

@Suite struct SyncFetchingTests {
    /// Two devices of a person.
    private func devices() async throws -> (cloud: LocalCloud, a: SyncApp, b: SyncApp) {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        return (
            cloud, SyncApp(ada.device("a").container.privateCloudDatabase),
            SyncApp(ada.device("b").container.privateCloudDatabase)
        )
    }

    @Test("142: a zone that somebody deleted is told, and nothing of it after that") func zoneDeleted() async throws {
        let (cloud, a, b) = try await devices()
        a.edit("x", "A")
        try await a.send()
        try await b.fetch()
        try await cloud.purge(zone: SyncApp.zoneID, of: cloud.account("ada"))
        b.log.clear()
        try await b.fetch()
        let deletions = b.log.events.compactMap(\.fetchedZones).flatMap(\.deletions)
        #expect(deletions == [CKDatabase.DatabaseChange.Deletion(zoneID: SyncApp.zoneID, reason: .purged)])
        #expect(!b.log.names.contains { $0.contains("RecordZoneChanges") })
        #expect(b.titles.isEmpty)
    }

    @Test("144: only zones of the scope are fetched") func scope() async throws {
        let (_, a, b) = try await devices()
        a.edit("x", "A")
        let other = CKRecordZone(zoneName: "Other")
        a.state.add(pendingDatabaseChanges: [.saveZone(other)])
        try await a.send()
        try await b.engine.fetchChanges(.init(scope: .zoneIDs([other.zoneID])))
        #expect(b.titles.isEmpty)
        #expect(b.log.names.filter { $0.hasPrefix("willFetchRecordZone") } == ["willFetchRecordZoneChanges(Other)"])
        #expect(b.state.zoneIDsWithUnfetchedServerChanges == [SyncApp.zoneID])
        try await b.engine.fetchChanges(.init(scope: .allExcluding([SyncApp.zoneID])))
        #expect(b.titles.isEmpty)
        try await b.fetch()
        #expect(b.titles == ["x": "A"])
        #expect(b.state.zoneIDsWithUnfetchedServerChanges.isEmpty)
    }

    @Test("146: the events of a fetch come in order, each change of the state is told") func order() async throws {
        let (_, a, b) = try await devices()
        for number in 0..<250 { a.edit("\(number)", "\(number)") }
        try await a.send()
        try await b.fetch()
        #expect(
            b.log.names.dropFirst() == [
                "willFetchChanges(manual)", "fetchedDatabaseChanges(modifications: 1, deletions: 0)",
                "willFetchRecordZoneChanges(Notes)",
                "fetchedRecordZoneChanges(modifications: 200, deletions: 0)",
                "fetchedRecordZoneChanges(modifications: 50, deletions: 0)",
                "didFetchRecordZoneChanges(Notes)", "didFetchChanges(manual)",
            ])
        let all = b.log.events.map(\.description)
        for (index, name) in all.enumerated() where name.hasPrefix("fetched") {
            #expect(all[index + 1] == "stateUpdate")
        }
        b.log.clear()
        try await b.fetch()
        #expect(b.log.names == ["willFetchChanges(manual)", "didFetchChanges(manual)"])
    }

    @Test("147: a child may come before its parent") func childFirst() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.device("a").container.privateCloudDatabase
        try await database.save(CKRecordZone(zoneID: SyncApp.zoneID))
        let parent = note("parent", in: SyncApp.zoneID), child = note("child", in: SyncApp.zoneID)
        try await database.save(parent)
        child.setParent(parent.recordID)
        try await database.save(child)
        parent["title"] = "Later"
        try await database.modifyRecords(saving: [parent], deleting: [], savePolicy: .changedKeys)
        let b = SyncApp(ada.device("b").container.privateCloudDatabase)
        try await b.fetch()
        let fetched = b.log.events.compactMap(\.fetchedRecords).flatMap(\.modifications).map(\.record)
        #expect(fetched.map(\.recordID.recordName) == ["child", "parent"])
        #expect(fetched.first?.parent?.recordID == parent.recordID)
    }

    @Test func prioritizedZonesComeFirst() async throws {
        let (_, a, b) = try await devices()
        let zones = ["One", "Two", "Three"].map { CKRecordZone(zoneName: $0) }
        a.state.add(pendingDatabaseChanges: zones.map { .saveZone($0) })
        try await a.send()
        b.onOptions.withLock {
            $0 = { context in
                var options = context.options
                options.prioritizedZoneIDs = [CKRecordZone.ID(zoneName: "None"), zones[2].zoneID, zones[1].zoneID]
                return options
            }
        }
        try await b.fetch()
        let order = b.log.names.filter { $0.hasPrefix("willFetchRecordZone") }
        #expect(order.prefix(2) == ["willFetchRecordZoneChanges(Three)", "willFetchRecordZoneChanges(Two)"])
        #expect(order.count == 4)
    }

    @Test func deletionsAreFetched() async throws {
        let (_, a, b) = try await devices()
        a.edit("x", "A")
        try await a.send()
        try await b.fetch()
        a.delete("x")
        try await a.send()
        try await b.fetch()
        #expect(b.titles.isEmpty)
        let deletions = b.log.events.compactMap(\.fetchedRecords).flatMap(\.deletions)
        #expect(deletions == [CKDatabase.RecordZoneChange.Deletion(recordID: SyncApp.id("x"), recordType: "Note")])
    }

    @Test func expiredTokensBeginAnew() async throws {
        let (cloud, a, b) = try await devices()
        a.edit("x", "A")
        a.edit("y", "A")
        a.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Gone"))])
        try await a.send()
        try await b.fetch()
        a.delete("x")
        a.state.add(pendingDatabaseChanges: [.deleteZone(CKRecordZone.ID(zoneName: "Gone"))])
        try await a.send()
        cloud.expireChangeTokens()
        b.log.clear()
        try await b.fetch()
        // What went while nobody could tell went with the zone as it was.
        #expect(b.titles == ["y": "A"])
        let gone = b.log.events.compactMap(\.fetchedZones).flatMap(\.deletions).map(\.zoneID.zoneName)
        #expect(Set(gone) == ["Gone", "Notes"])
        let last = try #require(b.log.events.compactMap(\.fetchedZones).last)
        #expect(last.modifications.map(\.zoneID) == [SyncApp.zoneID] && last.deletions.isEmpty)
    }

    @Test("Zones that went while the database's token expired are told, wherever a list of several pages is broken off")
    func expiredTokenOfManyZones() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(changesPerPage: 1))
        let ada = cloud.account("ada")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        let zones = ["One", "Two", "Three", "Four"].map { CKRecordZone(zoneName: $0) }
        a.state.add(pendingDatabaseChanges: zones.map { .saveZone($0) })
        try await a.send()
        let database = ada.device("b").container.privateCloudDatabase
        let b = SyncApp(database)
        try await b.fetch()
        a.state.add(pendingDatabaseChanges: [.deleteZone(zones[1].zoneID), .deleteZone(zones[3].zoneID)])
        try await a.send()
        cloud.expireChangeTokens()
        let kept = b.serialization
        for breaks in 0..<3 {
            let c = SyncApp(database, kept)
            let told = Lock(0)
            c.onEvent.withLock {
                $0 = { event, engine in
                    guard event.fetchedZones != nil else { return }
                    let number = told.withLock { told in
                        defer { told += 1 }
                        return told
                    }
                    if number == breaks { await engine.cancelOperations() }
                }
            }
            #expect(await error { try await c.fetch() }?.code == .operationCancelled)
            let second = SyncApp(database, c.serialization)
            try await second.fetch()
            let events = c.log.events + second.log.events
            let gone = events.compactMap(\.fetchedZones).flatMap(\.deletions).map(\.zoneID.zoneName)
            #expect(Set(gone).isSuperset(of: ["Two", "Four"]), "broken off at page \(breaks)")
        }
    }

    @Test func whatWentBeforeTheFirstFetchIsTold() async throws {
        let (_, a, b) = try await devices()
        for name in ["x", "y"] { a.edit(name, "A") }
        let gone = CKRecordZone(zoneName: "Gone")
        a.state.add(pendingDatabaseChanges: [.saveZone(gone)])
        try await a.send()
        b.delete("x")
        b.state.add(pendingDatabaseChanges: [.deleteZone(gone.zoneID)])
        try await b.send()
        try await a.fetch()
        #expect(a.titles == ["y": "A"])
        let zones = a.log.events.compactMap(\.fetchedZones).flatMap(\.deletions)
        #expect(zones == [CKDatabase.DatabaseChange.Deletion(zoneID: gone.zoneID, reason: .deleted)])
        // Once, and no more.
        a.log.clear()
        try await a.fetch()
        #expect(a.log.names == ["willFetchChanges(manual)", "didFetchChanges(manual)"])
    }

    @Test("What an app was told for the first time just before it ended is told as gone, if it goes meanwhile")
    func endBeforeTheFirstState() async throws {
        let (cloud, a, b) = try await devices()
        for name in ["x", "y"] { a.edit(name, "A") }
        let gone = CKRecordZone(zoneName: "Gone")
        a.state.add(pendingDatabaseChanges: [.saveZone(gone)])
        try await a.send()
        let kept = Lock<[CKSyncEngine.State.Serialization?]>([])
        b.onEvent.withLock {
            $0 = { [weak b] event, _ in
                guard event.fetchedZones != nil || event.fetchedRecords != nil else { return }
                let serialization = b?.serialization
                kept.withLock { $0.append(serialization) }
            }
        }
        try await b.fetch()
        a.delete("x")
        a.state.add(pendingDatabaseChanges: [.deleteZone(gone.zoneID)])
        try await a.send()
        let (zones, records) = try kept.withLock { (try #require($0.first), try #require($0.last)) }
        let database = cloud.account("ada").device("b").container.privateCloudDatabase
        let second = SyncApp(database, zones)
        try await second.fetch()
        #expect(second.log.events.compactMap(\.fetchedZones).flatMap(\.deletions).map(\.zoneID) == [gone.zoneID])
        let third = SyncApp(database, records)
        try await third.fetch()
        let deletions = third.log.events.compactMap(\.fetchedRecords).flatMap(\.deletions)
        #expect(deletions == [CKDatabase.RecordZoneChange.Deletion(recordID: SyncApp.id("x"), recordType: "Note")])
    }

    @Test func aZoneMadeAnewLeavesNothingOfTheFormer() async throws {
        let (_, a, b) = try await devices()
        a.edit("x", "A")
        try await a.send()
        try await b.fetch()
        a.state.add(pendingDatabaseChanges: [.deleteZone(SyncApp.zoneID)])
        try await a.send()
        a.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: SyncApp.zoneID))])
        a.forgetKnown("x")
        a.edit("y", "A")
        try await a.send()
        try await b.fetch()
        #expect(b.titles == ["y": "A"])
    }

    @Test func aZoneThatGoesDuringAFetchAndIsMadeAnewLeavesNothing() async throws {
        let (_, a, b) = try await devices()
        a.edit("x", "A")
        try await a.send()
        try await b.fetch()
        a.edit("y", "A")
        try await a.send()
        b.onEvent.withLock {
            $0 = { [weak b] event, _ in
                guard event.fetchedZones != nil else { return }
                b?.onEvent.withLock { $0 = nil }
                a.state.add(pendingDatabaseChanges: [.deleteZone(SyncApp.zoneID)])
                #expect(await error { try await a.send() } == nil)
            }
        }
        #expect(await error { try await b.fetch() } != nil)
        a.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: SyncApp.zoneID))])
        a.forgetKnown("y")
        a.edit("y", "A")
        try await a.send()
        try await b.fetch()
        #expect(b.titles == ["y": "A"])
    }

    @Test func whatFailsIsToldAndThrown() async throws {
        let (cloud, a, b) = try await devices()
        a.edit("x", "A")
        try await a.send()
        cloud.faults.inject(.error(.serviceUnavailable), on: .fetchZoneChanges)
        #expect(await error { try await b.fetch() }?.code == .serviceUnavailable)
        #expect(
            b.log.names.suffix(2) == [
                "didFetchRecordZoneChanges(Notes, error: \(CKError.Code.serviceUnavailable))",
                "didFetchChanges(manual)",
            ])
        #expect(b.state.zoneIDsWithUnfetchedServerChanges == [SyncApp.zoneID])
        try await b.fetch()
        #expect(b.titles == ["x": "A"])
    }

    @Test func thePublicDatabaseIsRefused() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.publicCloudDatabase)
        #expect(await error { try await app.fetch() }?.code == .badDatabase)
    }

    @Test func theSharedDatabaseIsFetched() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.sharedCloudDatabase)
        try await app.fetch()
        #expect(app.log.names.suffix(2) == ["willFetchChanges(manual)", "didFetchChanges(manual)"])
    }
}
