import CloudKit
import Foundation
import StratusTesting
import Testing

@Suite struct SyncAccountTests {
    private func changes(_ app: SyncApp) -> [String] {
        app.log.events.compactMap { event in
            guard case .accountChange(let change) = event else { return nil }
            return switch change.changeType {
            case .signIn: "in"
            case .signOut: "out"
            case .switchAccounts: "switch"
            }
        }
    }

    @Test func signingOutForgetsEverything() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let app = SyncApp(ada.container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.edit("b", "B")
        ada.signOut()
        #expect(await app.sendFailure()?.code == .notAuthenticated)
        #expect(changes(app) == ["in", "out"])
        #expect(app.state.pendingRecordZoneChanges.isEmpty && app.titles.isEmpty)
        #expect(await app.sendFailure()?.code == .notAuthenticated)
        #expect(changes(app) == ["in", "out"])
        ada.signIn()
        try await app.fetch()
        #expect(changes(app) == ["in", "out", "in"])
        #expect(app.titles == ["a": "A"])
    }

    @Test func anotherPersonGetsNothingOfTheFirst() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada"), bob = cloud.account("bob")
        let device = ada.device()
        let app = SyncApp(device.container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.edit("b", "Ada's")
        device.signIn(as: bob)
        try await app.send()
        #expect(changes(app) == ["in", "switch"])
        #expect(try await cloud.zones(of: bob).isEmpty)
        guard case .accountChange(let change)? = app.log.events.last(where: { $0.description.hasPrefix("account") }),
            case .switchAccounts(let previous, let current) = change.changeType
        else {
            Issue.record("no switch")
            return
        }
        #expect(previous != current)
        #expect(try await device.container.userRecordID() == current)
    }

    @Test func oneChangeIsToldOfWhatHappenedMeanwhile() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada"), bob = cloud.account("bob")
        let device = ada.device()
        let first = SyncApp(device.container.privateCloudDatabase)
        try await first.send()
        device.signOut()
        device.signIn(as: bob)
        device.signOut()
        device.signIn(as: ada)
        let second = SyncApp(device.container.privateCloudDatabase, first.serialization)
        try await second.send()
        #expect(changes(second).isEmpty)
        device.signIn(as: bob)
        let third = SyncApp(device.container.privateCloudDatabase, second.serialization ?? first.serialization)
        try await third.send()
        #expect(changes(third) == ["switch"])
    }

    @Test func whatWasAddedBeforeSigningInIsKept() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        ada.device().signOut()
        let app = SyncApp(ada.container.privateCloudDatabase)
        app.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "Early"))])
        #expect(await app.sendFailure()?.code == .notAuthenticated)
        #expect(app.log.names.isEmpty)
        ada.signIn()
        try await app.send()
        #expect(try await cloud.zones(of: ada).map(\.zoneName).contains("Early"))
    }

    @Test(
        "An account that is not to be had now has not signed out",
        arguments: [
            (CKAccountStatus.temporarilyUnavailable, CKError.Code.accountTemporarilyUnavailable),
            (.couldNotDetermine, .notAuthenticated), (.restricted, .notAuthenticated),
        ]) func unavailable(status: CKAccountStatus, code: CKError.Code) async throws
    {
        let cloud = try await LocalCloud()
        let device = cloud.account("ada").device()
        let app = SyncApp(device.container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.edit("a", "B")
        device.setAccountStatus(status)
        #expect(await app.sendFailure()?.code == code)
        #expect(changes(app) == ["in"] && app.state.pendingRecordZoneChanges.count == 1)
        device.setAccountStatus(nil)
        try await app.send()
        #expect(changes(app) == ["in"] && app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test func automaticEnginesNoticeAndWait() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada"), bob = cloud.account("bob")
        let device = ada.device()
        device.signOut()
        let app = SyncApp(device.container.privateCloudDatabase, automatically: true)
        app.edit("a", "A")
        #expect(cloud.requests.isEmpty)
        device.signIn(as: ada)
        await app.log.wait { $0.contains { $0.sentRecords != nil } }
        device.signOut()
        await app.log.wait(for: "accountChange", count: 2)
        #expect(changes(app) == ["in", "out"] && app.titles.isEmpty)
        device.signIn(as: bob)
        await app.log.wait(for: "accountChange", count: 3)
        await app.log.wait(for: "sentDatabaseChanges", count: 2)
        #expect(changes(app) == ["in", "out", "in"])
        // Notifications are the new person's.
        let other = SyncApp(bob.device("other").container.privateCloudDatabase)
        other.edit("b", "B")
        try await other.send()
        await app.log.wait { $0.contains { $0.fetchedRecords != nil } }
        #expect(app.titles == ["b": "B"])
    }
}
