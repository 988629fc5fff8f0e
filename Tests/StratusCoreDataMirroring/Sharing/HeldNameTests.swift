import CloudKit
import CoreData
import StratusTesting
import Testing

/// Somebody else saves records in a share under names that records of the owner refer to.
@Suite struct HeldNameTests {
    private static let (folder, tag, note) = (UUID().uuidString, UUID().uuidString, UUID().uuidString)
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let bob: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        ada = try MirroredDevice(cloud.account("ada").device("phone"))
        bob = try MirroredDevice(cloud.account("bob").device("phone"), [.private, .shared])
    }

    /// Returns records of a folder and a tag with a name.
    private func records(_ name: String, in zoneID: CKRecordZone.ID) -> [CKRecord] {
        [("Folder", Self.folder), ("Tag", Self.tag)].map { entity, recordName in
            let recordID = CKRecord.ID(recordName: recordName, zoneID: zoneID)
            let record = CKRecord(recordType: "CD_\(entity)", recordID: recordID)
            (record["CD_entityName"], record["CD_name"]) = (entity, name)
            return record
        }
    }

    /// Returns the records of a note that is in the folder and has the tag.
    private func noteRecords() -> [CKRecord] {
        let note = CKRecord(
            recordType: "CD_Note", recordID: CKRecord.ID(recordName: Self.note, zoneID: .mirroredHome))
        (note["CD_entityName"], note["CD_title"], note["CD_folder"]) = ("Note", "Secret", Self.folder)
        let link = CKRecord(
            recordType: "CDMR", recordID: CKRecord.ID(recordName: UUID().uuidString, zoneID: .mirroredHome))
        link["CD_entityNames"] = "Note:Tag"
        link["CD_recordNames"] = "\(Self.note):\(Self.tag)"
        link["CD_relationships"] = "tags:notes"
        return [note, link]
    }

    @Test func recordsOfTheOwnerGetTheReferencesThatOthersHeld() async throws {
        try await ada.save { context in _ = context.insert("Note", ["title": "Milk"]) }
        let (_, share, _) = try await ada.share([try await ada.objectID("Milk")], to: nil)
        share.publicPermission = .readWrite
        let saved = try await ada.container.persistUpdatedShare(share, in: ada.store(.private))
        let metadata = try await bob.device.container.shareMetadata(for: try #require(saved.url))
        try await bob.container.acceptShareInvitations(from: [metadata], into: bob.store(.shared))
        let zoneID = try #require(try bob.container.fetchShares(in: bob.store(.shared)).first).recordID.zoneID
        let others = bob.device.container.sharedCloudDatabase
        _ = try await others.modifyRecords(saving: records("taken", in: zoneID), deleting: [])
        try await ada.wait(for: "bob's objects") { context in
            try context.only("Folder", "name", "taken") != nil && context.only("Tag", "name", "taken") != nil
        }
        let own = cloud.account("ada").device("laptop").container.privateCloudDatabase
        _ = try await own.modifyRecords(saving: noteRecords(), deleting: [])
        try await ada.wait(for: "the note") { try $0.titles() == ["Milk", "Secret"] }
        _ = try await own.modifyRecords(saving: records("own", in: .mirroredHome), deleting: [])
        try await ada.wait(for: "the own objects") { context in
            let note = try #require(try context.note("Secret"))
            let folder = note.value(forKey: "folder") as? NSManagedObject
            let tags = note.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            return folder?.value(forKey: "name") as? String == "own"
                && tags.map { $0.value(forKey: "name") as? String } == ["own"]
        }
        // Nothing is written over what the owner has.
        let records = try await cloud.records(in: .mirroredHome, of: cloud.account("ada"))
        #expect(records.count == 4 && records.contains { $0["CD_folder"] as? String == Self.folder })
    }
}
