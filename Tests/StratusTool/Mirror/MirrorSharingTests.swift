import CloudKit
import CoreData
import Foundation
import StratusTesting
import StratusWaiting
import Testing

/// `stratus mirror` on stores with shares, and on one of a public database.
@Suite struct MirrorSharingTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private func show(_ store: MirroredStore, _ arguments: String...) async throws -> [String: Any] {
        let run = try await tool.run(["mirror", store.path, "--json"] + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return try run.object()
    }

    /// What is shown of the zones of shares.
    private func sharedZones(_ store: MirroredStore) async throws -> [[String: Any]] {
        let zones = try await show(store)["zones"] as? [[String: Any]] ?? []
        return zones.filter { ($0["zone"] as? String)?.hasPrefix("com.apple.coredata.cloudkit.share.") == true }
    }

    private func share(_ id: NSManagedObjectID, in store: MirroredStore) async throws -> CKShare {
        let object = store.container.newBackgroundContext().object(with: id)
        return try await store.container.share([object], to: nil).1
    }

    @Test func aShareIsShown() async throws {
        let store = try await MirroredStore(in: tool.folder)
        let share = try await share(store.insert("Milk", isTagged: true), in: store)
        share[CKShare.SystemFieldKey.title] = "Shop\u{1B}ping"
        let people = try await store.container.fetchParticipants(
            matching: CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["bob@example.com"]), into: try store.opened)
        for participant in people { share.addParticipant(participant) }
        _ = try await store.container.persistUpdatedShare(share, in: try store.opened)
        let zone = try #require(try await sharedZones(store).first)
        #expect(zone["objects"] as? Int == 2 && zone["leftBehind"] as? Int == 0)
        let shown = try #require(zone["share"] as? [String: Any])
        #expect(shown["title"] as? String == "Shop\u{1B}ping")
        #expect(shown["isSaved"] as? Bool == true && shown["participants"] as? Int == 2)
        let home = try #require((try await show(store)["zones"] as? [[String: Any]])?.first)
        #expect(home["share"] == nil)
        let text = try await tool.run(["mirror", store.path]).output
        #expect(text.contains("Shop\u{FFFD}ping, 2 participants"), "\(text)")
    }

    @Test func aShareThatIsBeingMadeIsShown() async throws {
        let store = try await MirroredStore(in: tool.folder)
        let id = try await store.insert("Milk")
        try await store.waitForExport(of: id)
        let outage = store.cloud.faults.inject(.offline, on: .saveZones, times: nil)
        let second = store.cloud.faults.inject(.offline, on: .deleteZones, times: nil)
        await #expect(throws: CKError.self) { try await share(id, in: store) }
        let shown = try #require(try await sharedZones(store).first?["share"] as? [String: Any])
        #expect(shown["isSaved"] as? Bool == false && shown["participants"] as? Int == 0)
        #expect(try await tool.run(["mirror", store.path]).output.contains("waits to be saved"))
        for fault in [outage, second] { fault.remove() }
    }

    @Test func recordsThatWereLeftBehindAreShown() async throws {
        let store = try await MirroredStore(in: tool.folder)
        let id = try await store.insert("Milk")
        try await store.waitForExport(of: id)
        let name = try #require(store.container.recordID(for: id)?.recordName)
        store.cloud.faults.inject(.offline, on: .deleteRecords, times: nil)
        _ = try await share(id, in: store)
        let home = try #require((try await show(store)["zones"] as? [[String: Any]])?.first)
        #expect(home["leftBehind"] as? Int == 1 && home["objects"] as? Int == 0)
        let waiting = try #require(try await show(store, "--waiting")["waiting"] as? [[String: Any]])
        #expect(waiting.count == 1 && waiting.first?["isLeftBehind"] as? Bool == true)
        #expect(waiting.first?["recordName"] as? String == name && waiting.first?["waits"] as? String == "delete")
        let text = try await tool.run(["mirror", store.path, "--waiting"]).output
        #expect(text.contains("delete, left behind"), "\(text)")
        #expect(try await tool.run(["mirror", store.path]).output.contains("1 records that moved objects"))
    }

    @Test func aRefusedDeletionIsShown() async throws {
        let store = try await MirroredStore(in: tool.folder)
        let id = try await store.insert("Milk")
        try await store.waitForExport(of: id)
        let recordID = try #require(store.container.recordID(for: id))
        store.cloud.faults.inject(.error(.permissionFailure, of: recordID), on: .deleteRecords, times: nil)
        _ = try await share(id, in: store)
        let waiting = try #require(try await show(store, "--waiting")["waiting"] as? [[String: Any]])
        #expect(waiting.count == 1 && waiting.first?["isRefused"] as? Bool == true)
        let text = try await tool.run(["mirror", store.path, "--waiting"]).output
        #expect(text.contains("delete, refused, left behind"), "\(text)")
    }

    @Test func thePlaceInAPublicDatabaseIsShown() async throws {
        let store = try await MirroredStore(in: tool.folder, .public)
        try await store.waitForExport(of: store.insert("Milk"))
        try await wait(for: "the first look at the feed") {
            (try await self.show(store)["publicFeed"] as? [String: Any])?["token"] is String
        }
        let shown = try await show(store)
        #expect(shown["account"] is String && shown["databaseToken"] == nil)
        let feed = try #require(shown["publicFeed"] as? [String: Any])
        #expect(feed["recordTypes"] as? [String] == ["CD_Note", "CD_Tag", "CDMR"])
        #expect((feed["queriedUpTo"] as? [String: Any])?.isEmpty == true)
        let text = try await tool.run(["mirror", store.path]).output
        #expect(text.contains("fetched up to") && !text.contains("not fetched yet"), "\(text)")
    }
}

extension MirroredStore {
    /// The open store.
    fileprivate var opened: NSPersistentStore {
        get throws { try #require(container.persistentStoreCoordinator.persistentStores.first) }
    }
}
