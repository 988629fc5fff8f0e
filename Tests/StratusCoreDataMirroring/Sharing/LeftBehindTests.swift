import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTesting
import Testing

/// Records that objects leave behind when they move to the zone of a share, and that the server does not delete.
@Suite struct LeftBehindTests {
    private let cloud: LocalCloud
    private let ada: LocalCloud.Account
    private let phone: MirroredDevice
    /// The record of a note that has been exported.
    private let recordID: CKRecord.ID

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada")
        phone = try MirroredDevice(ada.device("phone"))
        try await phone.save { _ = $0.insert("Note", ["title": "Milk"]) }
        try await phone.waitForRecords("the note", in: cloud, of: ada) { $0.count == 1 }
        recordID = try #require(try await cloud.records(in: .mirroredHome, of: ada).first?.recordID)
    }

    private var deletions: Int {
        cloud.requests.count { $0.calls.contains(.deleteRecords) && $0.recordIDs.contains(recordID) }
    }

    /// Saves a note, and waits until the server has it.
    private func export(_ title: String) async throws {
        try await phone.save { _ = $0.insert("Note", ["title": title]) }
        try await phone.waitForRecords(title, in: cloud, of: ada) { records in
            records.contains { $0["CD_title"] as? String == title }
        }
    }

    @Test func aRefusedDeletionIsSentAgainAtTheNextStart() async throws {
        let refusal = cloud.faults.inject(
            .error(.permissionFailure, of: recordID), on: .deleteRecords, times: nil)
        let share = try await phone.share([phone.objectID("Milk")], to: nil).1
        let event = try await phone.wait(forEvent: "the refusal") { $0.type == .export && !$0.succeeded }
        #expect(event.error?.localizedDescription.contains(recordID.recordName) == true)
        for title in ["Bread", "Butter"] { try await export(title) }
        #expect(deletions == 1)
        #expect(try await cloud.records(in: .mirroredHome, of: ada).contains { $0.recordID == recordID })
        refusal.remove()
        let restarted = try phone.restarted()
        try await restarted.waitForRecords("the deletion", in: cloud, of: ada) { records in
            !records.contains { $0.recordID == recordID }
        }
        #expect(try await restarted.read { try $0.titles() } == ["Bread", "Butter", "Milk"])
        let shared = try await cloud.records(in: share.recordID.zoneID, of: ada)
        #expect(shared.filter { !($0 is CKShare) }.map(\.recordID.recordName) == [recordID.recordName])
    }

    @Test func aDeletionInAZoneThatIsGoneEnds() async throws {
        let outage = cloud.faults.inject(.offline, on: .deleteRecords, times: nil)
        let share = try await phone.share([phone.objectID("Milk")], to: nil).1
        _ = try await phone.device.container.privateCloudDatabase.deleteRecordZone(withID: .mirroredHome)
        outage.remove()
        try await export("Bread")
        // The deletion may come after the note.
        await phone.container.synchronizeMirrors()
        let before = deletions
        for title in ["Butter", "Cheese"] { try await export(title) }
        await phone.container.synchronizeMirrors()
        #expect(deletions == before)
        #expect(try await phone.read { try $0.titles() } == ["Bread", "Butter", "Cheese", "Milk"])
        #expect(try await cloud.zones(of: ada).contains(share.recordID.zoneID))
    }
}
