import CloudKit
import Foundation
import StratusTesting
import Testing

@Suite struct SyncAutomaticTests {
    private func zone(_ cloud: LocalCloud) async throws -> [String] {
        try await cloud.records(in: SyncApp.zoneID, of: cloud.account("ada")).compactMap { $0["title"] as? String }
    }

    @Test func whatIsEditedHereAppearsThere() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase, automatically: true)
        let b = SyncApp(ada.device("b").container.privateCloudDatabase, automatically: true)
        await a.log.wait(for: "sentDatabaseChanges")
        await b.log.wait(for: "sentDatabaseChanges")
        a.edit("x", "Hello")
        await b.log.wait { $0.compactMap(\.fetchedRecords).flatMap(\.modifications).count == 1 }
        #expect(b.titles == ["x": "Hello"])
        b.edit("x", "Goodbye", at: 10)
        await a.log.wait { events in
            events.compactMap(\.fetchedRecords).flatMap(\.modifications).contains { $0.record["title"] == "Goodbye" }
        }
        #expect(a.titles == ["x": "Goodbye"])
        #expect(!a.log.names.contains { $0.contains("manual") })
        // The engines have found the one subscription that the first of them made.
        #expect(try await ada.container.privateCloudDatabase.allSubscriptions().count == 1)
    }

    @Test func afterAFailureItTriesAgain() async throws {
        let cloud = try await LocalCloud(LocalCloud.Options(seed: 1))
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        cloud.faults.inject(.error(.networkUnavailable), on: .saveRecords, times: 3)
        let before = cloud.clock.now
        app.edit("x", "Hello")
        await app.log.wait { $0.contains { $0.sentRecords?.savedRecords.count == 1 } }
        // Half of 1, 2 and 4 seconds at least.
        #expect(before.duration(to: cloud.clock.now) >= .milliseconds(3_500))
        #expect(app.log.events.compactMap(\.sentRecords).count == 4)
        #expect(try await zone(cloud) == ["Hello"])
    }

    @Test func aThrottleIsWaitedOut() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        cloud.faults.inject(.throttle(retryAfter: 60), on: .saveRecords)
        let before = cloud.clock.now
        app.edit("x", "Hello")
        await app.log.wait { $0.contains { $0.sentRecords?.savedRecords.count == 1 } }
        #expect(before.duration(to: cloud.clock.now) >= .seconds(60))
        #expect(cloud.requests(.saveRecords).count == 2)
    }

    @Test func aConflictIsSentAgainWithoutBeingAsked() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        let app = SyncApp(database, automatically: true)
        app.edit("x", "Mine")
        await app.log.wait { $0.contains { $0.sentRecords?.savedRecords.count == 1 } }
        let other = try await database.record(for: SyncApp.id("x"))
        other["title"] = "Theirs"
        try await database.save(other)
        app.edit("x", "Mine again", at: 9)
        await app.log.wait { $0.compactMap(\.sentRecords).flatMap(\.savedRecords).count == 2 }
        #expect(
            app.log.events.compactMap(\.sentRecords).contains {
                $0.failedRecordSaves.first?.error.code == .serverRecordChanged
            })
        #expect(try await zone(cloud) == ["Mine again"])
    }

    @Test func changesThatTheDelegateAddsAreSent() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        app.onEvent.withLock {
            $0 = { [weak app] event, _ in
                guard case .didSendChanges = event, app?.titles["y"] == nil else { return }
                app?.edit("y", "Later")
            }
        }
        app.edit("x", "First")
        await app.log.wait { $0.compactMap(\.sentRecords).flatMap(\.savedRecords).count == 2 }
        #expect(try await zone(cloud) == ["First", "Later"])
    }

    @Test func whatNobodyGivesIsNotAskedForAgainAndAgain() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        app.state.add(pendingRecordZoneChanges: [.saveRecord(SyncApp.id("gone"))])
        await app.log.wait(for: "didSendChanges", count: 2)
        app.edit("x", "Hello")
        await app.log.wait { $0.contains { $0.sentRecords != nil } }
        await app.log.wait(for: "didSendChanges", count: 3)
        #expect(app.log.names.count { $0.hasPrefix("willSendChanges") } == 3)
    }

    @Test func anEngineWithNothingToDoAsksNothing() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        app.edit("x", "Hello")
        await app.log.wait { $0.contains { $0.sentRecords != nil } }
        await app.log.wait(for: "didSendChanges")
        cloud.clock.stop()
        cloud.forgetRequests()
        cloud.clock.advance(by: .seconds(7 * 24 * 3_600))
        try await app.send()
        #expect(cloud.requests.isEmpty)
        cloud.clock.resume()
    }

    @Test func pendingChangesOfALastRunAreSent() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        let first = SyncApp(database)
        try await first.send()
        first.log.clear()
        first.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Late"))])
        await first.log.wait(for: "stateUpdate")
        let second = SyncApp(database, first.serialization, automatically: true)
        await second.log.wait(for: "sentDatabaseChanges")
        #expect(try await cloud.zones(of: cloud.account("ada")).map(\.zoneName).sorted() == ["Late", "Notes"])
        #expect(!second.log.names.contains { $0.hasPrefix("accountChange") })
    }

    @Test func aSubscriptionOfTheAppIsUsed() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.device("b").container.privateCloudDatabase
        try await database.save(CKDatabaseSubscription(subscriptionID: "former"))
        let b = SyncApp(database, automatically: true)
        await b.log.wait(for: "didFetchChanges")
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["former"])
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        a.edit("x", "Hello")
        try await a.send()
        await b.log.wait { $0.contains { $0.fetchedRecords != nil } }
        #expect(b.titles == ["x": "Hello"])
    }

    @Test func theAppHearsNotificationsToo() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let device = ada.device("b")
        let b = SyncApp(device.container.privateCloudDatabase, automatically: true)
        await b.log.wait(for: "didSendChanges")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        a.edit("x", "Hello")
        try await a.send()
        await b.log.wait { $0.contains { $0.fetchedRecords != nil } }
        #expect(try await device.takeNotifications().contains { $0 is CKDatabaseNotification })
    }

    @Test func whatCameWithoutANotificationComesWithTheNext() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let device = ada.device("b")
        let b = SyncApp(device.container.privateCloudDatabase, automatically: true)
        await b.log.wait(for: "didSendChanges")
        let a = SyncApp(ada.device("a").container.privateCloudDatabase)
        device.setPush(.lost)
        a.edit("x", "Lost")
        try await a.send()
        #expect(try await device.takeNotifications().isEmpty)
        device.setPush(.held)
        a.edit("y", "Late")
        try await a.send()
        #expect(try await device.takeNotifications().isEmpty)
        #expect(b.titles.isEmpty)
        device.setPush(.delivered)
        await b.log.wait { $0.compactMap(\.fetchedRecords).flatMap(\.modifications).count == 2 }
        #expect(b.titles == ["x": "Lost", "y": "Late"])
        #expect(try await device.takeNotifications().count == 1)
    }

    @Test func cancellingForgetsWhatIsScheduled() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase, automatically: true)
        await app.log.wait(for: "didSendChanges")
        cloud.clock.stop()
        // What the beginning left in the schedule would take the next edit along.
        await app.engine.cancelOperations()
        app.edit("x", "Hello")
        await cloud.clock.untilWaiting()
        await app.engine.cancelOperations()
        cloud.clock.advance(by: .seconds(60))
        #expect(app.state.pendingRecordZoneChanges.count == 1)
        app.edit("y", "More")
        await cloud.clock.untilWaiting()
        cloud.clock.advance(by: .seconds(1))
        await app.log.wait { $0.compactMap(\.sentRecords).flatMap(\.savedRecords).count == 2 }
        cloud.clock.resume()
    }
}
