import CloudKit
import CoreData
import StratusSQLite
import StratusTesting
import Testing

/// A store whose account or zone goes, or whose data is removed from the cloud.
@Suite struct AccountTests {
    private let cloud: LocalCloud
    private let device: LocalCloud.Device
    private let app: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        device = cloud.account("ada").device("phone")
        app = try MirroredDevice(device)
        try await app.save { _ = $0.insert("Note", ["title": "Milk"]) }
        try await app.waitForRecords("the first export", in: cloud, of: cloud.account("ada")) { $0.count == 1 }
    }

    @Test func anAccountTakesItsObjectsAlong() async throws {
        device.signOut()
        try await app.wait(for: "the removal") { try $0.titles() == [] }
        device.signIn(as: cloud.account("ada"))
        try await app.wait(for: "the return") { try $0.titles() == ["Milk"] }
        device.signIn(as: cloud.account("bob"))
        try await app.wait(for: "the removal") { try $0.titles() == [] }
        try await app.save { _ = $0.insert("Note", ["title": "Beer"]) }
        let other = try MirroredDevice(cloud.account("bob").device("tablet"))
        try await other.wait(for: "the note of the other account") { try $0.titles() == ["Beer"] }
        #expect(try await cloud.records(in: .mirroredHome, of: cloud.account("ada")).count == 1)
    }

    @Test func anotherAccountIsNoticedAtTheNextStart() async throws {
        try app.quit()
        device.signIn(as: cloud.account("bob"))
        let app = try app.restarted(hasQuit: true)
        try await app.wait(for: "the removal") { try $0.titles() == [] }
        #expect(try await cloud.records(in: .mirroredHome, of: cloud.account("ada")).count == 1)
    }

    @Test func aPurgeRemovesEverything() async throws {
        try await cloud.purge(zone: .mirroredHome, of: cloud.account("ada"))
        let other = try MirroredDevice(cloud.account("ada").device("tablet"))
        try await app.wait(for: "the removal") { try $0.titles() == [] }
        try await app.save { _ = $0.insert("Note", ["title": "Bread"]) }
        try await other.wait(for: "what was saved afterwards") { try $0.titles() == ["Bread"] }
    }

    @Test func aZoneThatWasDeletedTakesItsObjectsAlong() async throws {
        _ = try await device.container.privateCloudDatabase.deleteRecordZone(withID: .mirroredHome)
        let other = cloud.account("ada").device("tablet")
        let app = try app.restarted()
        try await app.wait(for: "the removal") { try $0.titles() == [] }
        try await app.save { _ = $0.insert("Note", ["title": "Bread"]) }
        try await MirroredDevice(other).wait(for: "what was saved afterwards") { try $0.titles() == ["Bread"] }
    }

    @Test func expiredTokensLoseNothing() async throws {
        let other = try MirroredDevice(cloud.account("ada").device("tablet"))
        try await other.wait(for: "the note") { try $0.titles() == ["Milk"] }
        try app.quit()
        try await other.save { context in
            if let note = try context.note("Milk") { context.delete(note) }
            _ = context.insert("Note", ["title": "Bread"])
        }
        try await other.waitForRecords("the changes", in: cloud, of: cloud.account("ada")) { records in
            records.compactMap { $0["CD_title"] as? String } == ["Bread"]
        }
        cloud.expireChangeTokens()
        let app = try app.restarted(hasQuit: true)
        try await app.wait(for: "the state of the cloud") { try $0.titles() == ["Bread"] }
    }

    @Test func aLostStateOfTheEngineLosesNoDeletion() async throws {
        let other = try MirroredDevice(cloud.account("ada").device("tablet"))
        try await other.wait(for: "the note") { try $0.titles() == ["Milk"] }
        let store = try #require(app.container.persistentStoreCoordinator.persistentStores.first)
        try app.quit()
        try await other.save { context in
            if let note = try context.note("Milk") { context.delete(note) }
            _ = context.insert("Note", ["title": "Bread"])
        }
        try await other.waitForRecords("the changes", in: cloud, of: cloud.account("ada")) { records in
            records.compactMap { $0["CD_title"] as? String } == ["Bread"]
        }
        let file = try SQLiteConnection(path: try #require(store.url).path)
        try file.execute("UPDATE STRATUS_MIRROR SET ZENGINE = NULL")
        let app = try app.restarted(hasQuit: true)
        try await app.wait(for: "the state of the cloud") { try $0.titles() == ["Bread"] }
    }

    @Test func objectsOfATimeWithoutAnAccountAreSentWhenThereIsOne() async throws {
        let device = cloud.account("eve").device("phone")
        device.signOut()
        let app = try MirroredDevice(device)
        let setup = try await app.wait(forEvent: "the failed setup") { $0.type == .setup }
        #expect(!setup.succeeded && (setup.error as NSError?)?.code == 134_400)
        try await app.save { _ = $0.insert("Note", ["title": "Early"]) }
        device.signIn(as: cloud.account("eve"))
        try await app.waitForRecords("the export", in: cloud, of: cloud.account("eve")) { $0.count == 1 }
        #expect(try await app.read { try $0.titles() } == ["Early"])
    }
}
