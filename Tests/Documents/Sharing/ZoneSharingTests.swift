import CloudKit
import StratusTesting
import Testing

/// What the talk about sharing with Core Data says of CloudKit: shared zones, participants, encrypted values.
@Suite struct ZoneSharingTests {
    private func sharedZone(_ permission: CKShare.ParticipantPermission) async throws -> (SharingPair, CKShare) {
        let pair = try await SharingPair()
        let share = CKShare(recordZoneID: pair.zoneID)
        try await pair.invite(permission, to: share, with: [pair.note("post", in: pair.zoneID)])
        return (pair, share)
    }

    @Test("A shared zone has one share, by whose record it is known, and no root")
    func oneShare() async throws {
        let (pair, share) = try await sharedZone(.readWrite)
        #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
        let recordID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: pair.zoneID)
        #expect(try await pair.ada.privateCloudDatabase.record(for: recordID) is CKShare)
        #expect(try await pair.bob.shareMetadata(for: try #require(share.url)).hierarchicalRootRecordID == nil)
        let second = await failure { try await pair.ada.privateCloudDatabase.save(CKShare(recordZoneID: pair.zoneID)) }
        #expect(second?.code == .serverRecordChanged)
    }

    @Test("The share says who owns it, who takes part, their roles, permissions and whether they accepted")
    func participants() async throws {
        let (pair, share) = try await sharedZone(.readOnly)
        #expect(share.owner.role == .owner && share.owner.acceptanceStatus == .accepted)
        let invited = try #require(share.participants.first { $0.role == .privateUser })
        #expect(invited.permission == .readOnly && invited.acceptanceStatus == .pending)
        _ = try await pair.accept(share)
        let later = try #require(try await pair.ada.privateCloudDatabase.record(for: share.recordID) as? CKShare)
        #expect(later.participants.first { $0.role == .privateUser }?.acceptanceStatus == .accepted)
    }

    @Test("The owner finds the zone in the private database, a participant in the shared one")
    func databases() async throws {
        let (pair, share) = try await sharedZone(.readWrite)
        let zoneID = try await pair.accept(share)
        #expect(try await pair.ada.privateCloudDatabase.allRecordZones().contains { $0.zoneID == pair.zoneID })
        #expect(try await pair.ada.sharedCloudDatabase.allRecordZones().isEmpty)
        #expect(try await pair.bob.sharedCloudDatabase.allRecordZones().map(\.zoneID) == [zoneID])
        let owner = try await pair.ada.userRecordID().recordName
        #expect(zoneID.ownerName == owner && zoneID.zoneName == pair.zoneID.zoneName)
    }

    @Test("Who may write adds records of their own to the owner's zone")
    func participantsAdd() async throws {
        let (pair, share) = try await sharedZone(.readWrite)
        let zoneID = try await pair.accept(share)
        try await pair.bob.sharedCloudDatabase.save(pair.note("comment", in: zoneID))
        let comment = try await pair.ada.privateCloudDatabase.record(
            for: CKRecord.ID(recordName: "comment", zoneID: pair.zoneID))
        let bob = try await pair.bob.userRecordID()
        #expect(comment.creatorUserRecordID == bob)
    }

    @Test("Who may only read can neither change nor delete")
    func readOnlyParticipants() async throws {
        let (pair, share) = try await sharedZone(.readOnly)
        let post = CKRecord.ID(recordName: "post", zoneID: try await pair.accept(share))
        let database = pair.bob.sharedCloudDatabase
        let read = try await database.record(for: post)
        read["title"] = "Changed"
        #expect(await failure { try await database.save(read) }?.code == .permissionFailure)
        #expect(await failure { try await database.deleteRecord(withID: post) }?.code == .permissionFailure)
        let own = try #require(
            try await database.record(for: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: post.zoneID))
                as? CKShare)
        #expect(own.currentUserParticipant?.permission == .readOnly)
    }

    @Test("Encrypted values are readable on the user's devices and nowhere else")
    func encryptedValues() async throws {
        let pair = try await SharingPair()
        let post = pair.note("post", in: pair.zoneID)
        post.encryptedValues["location"] = "at home"
        try await pair.ada.privateCloudDatabase.save(post)
        let tablet = pair.cloud.account("ada").device("tablet").container
        #expect(
            try await tablet.privateCloudDatabase.record(for: post.recordID).encryptedValues["location"] == "at home")
        let stored = try await pair.cloud.records(in: pair.zoneID, of: pair.cloud.account("ada"))
        #expect(stored.count == 1 && stored[0]["location"] == nil && stored[0].encryptedValues["location"] == nil)
    }

    @Test("Whether a field is encrypted is decided when it is first saved")
    func encryptionStays() async throws {
        let pair = try await SharingPair()
        let post = pair.note("post", in: pair.zoneID)
        post.encryptedValues["location"] = "at home"
        try await pair.ada.privateCloudDatabase.save(post)
        let other = pair.note("other", in: pair.zoneID)
        other["location"] = "at home"
        #expect(await failure { try await pair.ada.privateCloudDatabase.save(other) }?.code == .invalidArguments)
        let plain = pair.note("plain", in: pair.zoneID)
        plain.encryptedValues["title"] = "secret"
        #expect(await failure { try await pair.ada.privateCloudDatabase.save(plain) }?.code == .invalidArguments)
    }
}
