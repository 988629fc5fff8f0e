import CloudKit
import StratusTesting
import Testing

/// Two people with a cloud, one of whom shares.
struct SharingPair {
    let cloud: LocalCloud
    let ada: CKContainer
    let bob: CKContainer
    let zoneID = CKRecordZone.ID(zoneName: "Notes")

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada").container
        bob = cloud.account("bob").container
        try await ada.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID))
    }

    /// Invites Bob with a permission and saves the share with what it is of.
    func invite(_ permission: CKShare.ParticipantPermission, to share: CKShare, with records: [CKRecord]) async throws {
        let participant = try await ada.shareParticipant(forEmailAddress: "bob@example.com")
        participant.permission = permission
        share.addParticipant(participant)
        let results = try await ada.privateCloudDatabase.modifyRecords(
            saving: records + [share], deleting: [], atomically: true)
        for result in results.saveResults.values { _ = try result.get() }
    }

    /// Bob accepts, and gets the name by which he knows the zone.
    func accept(_ share: CKShare) async throws -> CKRecordZone.ID {
        let metadata = try await bob.shareMetadata(for: try #require(share.url))
        return try await bob.accept(metadata).recordID.zoneID
    }

    func note(_ name: String, in zoneID: CKRecordZone.ID, below parent: CKRecord? = nil) -> CKRecord {
        let note = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
        note["title"] = name
        note.setParent(parent)
        return note
    }
}
