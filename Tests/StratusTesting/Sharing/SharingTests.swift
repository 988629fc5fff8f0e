import CloudKit
import StratusTesting
import Testing

/// Three people, one of whom reads, one writes, and both by the same share.
@Suite struct SharingTests {
    private let cloud: LocalCloud
    private let ada: CKContainer
    private let bob: CKContainer
    private let carol: CKContainer

    init() async throws {
        cloud = try await LocalCloud()
        ada = cloud.account("ada", .init(givenName: "Ada", familyName: "Lovelace")).container
        bob = cloud.account("bob", .init(givenName: "Bob", isDiscoverable: true)).container
        carol = cloud.account("carol").container
        try await ada.privateCloudDatabase.save(CKRecordZone(zoneID: notes))
    }

    private func share() async throws -> CKShare {
        let share = CKShare(recordZoneID: notes)
        let reader = try await ada.shareParticipant(forEmailAddress: "bob@example.com")
        let writer = try await ada.shareParticipant(forEmailAddress: "carol@example.com")
        writer.permission = .readWrite
        for participant in [reader, writer] { share.addParticipant(participant) }
        _ = try await ada.privateCloudDatabase.modifyRecords(saving: [note("a", in: notes), share], deleting: [])
        return share
    }

    private func join(_ share: CKShare, _ container: CKContainer) async throws -> CKRecordZone.ID {
        let metadata = try await container.shareMetadata(for: try #require(share.url))
        return try await container.accept(metadata).recordID.zoneID
    }

    @Test func threePeople() async throws {
        let share = try await share()
        #expect(share.participants.map(\.permission) == [.readWrite, .readOnly, .readWrite])
        // Who wants to be found has a name before they come in; the others afterwards.
        let infos = try await ada.shareParticipants(forEmailAddresses: ["bob@example.com", "carol@example.com"])
        #expect(try infos["bob@example.com"]?.get().userIdentity.nameComponents?.givenName == "Bob")
        #expect(try infos["carol@example.com"]?.get().userIdentity.nameComponents == nil)
        let zoneID = try await join(share, bob)
        #expect(try await join(share, carol) == zoneID)
        try await carol.sharedCloudDatabase.save(note("b", in: zoneID))
        let refused = await failure { try await bob.sharedCloudDatabase.save(note("c", in: zoneID)) }
        #expect(refused?.code == .permissionFailure)
        let seen = try await bob.sharedCloudDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil)
        #expect(Set(seen.modificationResultsByID.keys.map(\.recordName)) == ["a", "b", "cloudkit.zoneshare"])
        // Participants see the owner and themselves; the owner sees everybody.
        let bobs = try await bob.sharedCloudDatabase.record(
            for: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zoneID))
        #expect((bobs as? CKShare)?.participants.count == 2)
        #expect((bobs as? CKShare)?.owner.userIdentity.nameComponents?.familyName == "Lovelace")
        let own = try #require(try await ada.privateCloudDatabase.record(for: share.recordID) as? CKShare)
        #expect(own.participants.map(\.acceptanceStatus) == [.accepted, .accepted, .accepted])
        // One goes, the other stays.
        try await bob.sharedCloudDatabase.deleteRecord(withID: bobs.recordID)
        let gone = await failure { _ = try await bob.sharedCloudDatabase.recordZone(for: zoneID) }
        #expect(gone?.code == .zoneNotFound)
        #expect(try await carol.sharedCloudDatabase.recordZone(for: zoneID).zoneID == zoneID)
        let stored = try await cloud.records(in: notes, of: cloud.account("ada"))
        #expect(stored.map(\.recordID.recordName) == ["a", "b"])
    }

    @Test func participantsAreTold() async throws {
        let zoneID = try await join(try await share(), carol)
        let tablet = cloud.account("carol").device("tablet")
        try await tablet.container.sharedCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "shared"))
        try await ada.privateCloudDatabase.save(note("news", in: notes))
        var notifications = tablet.notifications.makeAsyncIterator()
        let told = try #require(try await notifications.next() as? CKDatabaseNotification)
        #expect(told.databaseScope == .shared && told.subscriptionID == "shared")
        let changes = try await tablet.container.sharedCloudDatabase.databaseChanges(since: nil)
        #expect(changes.modifications.map(\.zoneID) == [zoneID])
    }

    @Test func requestsAreLoggedAndFail() async throws {
        let share = try await share()
        cloud.forgetRequests()
        cloud.faults.inject(.error(.serviceUnavailable), on: .acceptShares, times: 1)
        let metadata = try await bob.shareMetadata(for: try #require(share.url))
        #expect(await failure { try await bob.accept(metadata) }?.code == .serviceUnavailable)
        try await bob.accept(metadata)
        #expect(cloud.requests(.fetchShareMetadata).count == 1 && cloud.requests(.acceptShares).count == 2)
    }
}
