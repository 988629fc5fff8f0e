import CloudKit
import CoreData
import StratusTestSupport
import StratusTesting
import Testing

/// The limits of what other people in a share bring about, and of what a person may do with their shares.
@Suite struct OtherPeopleTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let bob: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        ada = try MirroredDevice(cloud.account("ada").device("phone"), [.private, .shared])
        bob = try MirroredDevice(cloud.account("bob").device("phone"), [.private, .shared])
        let store = try ada.store(.private)
        try await ada.save { context in
            context.assign(context.insert("Note", ["title": "Milk"]), to: store)
        }
    }

    /// Shares the note, and lets the other person join.
    private func share(_ permission: CKShare.ParticipantPermission) async throws -> CKShare {
        let (_, share, _) = try await ada.share([try await ada.objectID("Milk")], to: nil)
        share.publicPermission = permission
        let saved = try await ada.container.persistUpdatedShare(share, in: ada.store(.private))
        let metadata = try await bob.device.container.shareMetadata(for: try #require(saved.url))
        try await bob.container.acceptShareInvitations(from: [metadata], into: bob.store(.shared))
        try await bob.wait(for: "the note") { try $0.titles() == ["Milk"] }
        return saved
    }

    @Test func anObjectThatAnotherPersonChangesBeforeItsMoveIsSeenStaysTheSame() async throws {
        let laptop = try MirroredDevice(
            cloud.account("ada").device("laptop"), in: TemporaryDirectory(inMemory: true), [.private, .shared])
        try await laptop.wait(for: "the note") { try $0.titles() == ["Milk"] }
        let before = try await laptop.objectID("Milk").uriRepresentation()
        try laptop.quit()
        _ = try await share(.readWrite)
        try await bob.save { try $0.note("Milk")?.setValue("bob's", forKey: "text") }
        try await ada.wait(for: "the text") { try $0.note("Milk")?.value(forKey: "text") as? String == "bob's" }
        let restarted = try laptop.restarted(hasQuit: true)
        try await restarted.wait(for: "the text") { context in
            try context.note("Milk")?.value(forKey: "text") as? String == "bob's"
        }
        #expect(try await restarted.objectID("Milk").uriRepresentation() == before)
    }

    @Test func whoMayOnlyReadKeepsObjectsThatCannotBeAdded() async throws {
        let share = try await share(.readOnly)
        let store = try bob.store(.shared)
        try await bob.save { context in
            context.assign(context.insert("Note", ["title": "Bread"]), to: store)
        }
        let bread = try await bob.objectID("Bread")
        let known = try #require(try bob.container.fetchShares(in: store).first)
        #expect(known.recordID.zoneID.zoneName == share.recordID.zoneID.zoneName)
        let error = await #expect(throws: CocoaError.self) { try await bob.share([bread], to: known) }
        #expect(error?.localizedDescription.contains("may not be changed") == true)
        #expect(try await bob.read { try $0.titles() } == ["Bread", "Milk"])
    }

    @Test(arguments: ["com.apple.coredata.cloudkit.zone", nil])
    func aZoneOfAnotherPersonWithTheSameNameIsNotTheOwn(name: String?) async throws {
        let share = try await share(.readWrite)
        let zoneID = CKRecordZone.ID(
            zoneName: name ?? share.recordID.zoneID.zoneName, ownerName: "_somebody")
        await #expect(throws: CocoaError.self) {
            try await ada.container.purgeObjectsAndRecordsInZone(with: zoneID, in: nil)
        }
        await #expect(throws: CocoaError.self) {
            try await ada.container.purgeObjectsAndRecordsInZone(with: zoneID, in: ada.store(.private))
        }
        #expect(try await ada.read { try $0.titles() } == ["Milk"])
    }

    @Test func linksOfObjectsThatWaitedComeToTheShareWithThem() async throws {
        _ = try await share(.readWrite)
        let store = try bob.store(.shared)
        try await bob.save { context in
            let (bread, butter) = (
                context.insert("Note", ["title": "Bread"]), context.insert("Note", ["title": "Butter"])
            )
            for note in [bread, butter] { context.assign(note, to: store) }
            bread.mutableSetValue(forKey: "mentions").add(butter)
        }
        _ = try await bob.wait(forEvent: "that they wait") { event in
            event.type == .export && event.error?.localizedDescription.contains("2 objects") == true
        }
        try await bob.save { context in
            let bread = try #require(try context.note("Bread"))
            try context.note("Milk")?.mutableSetValue(forKey: "mentions").add(bread)
        }
        try await ada.wait(for: "both links") { context in
            try [("Milk", "Bread"), ("Bread", "Butter")].allSatisfy { note, other in
                let mentions = try context.note(note)?.value(forKey: "mentions") as? Set<NSManagedObject> ?? []
                return mentions.map { $0.value(forKey: "title") as? String } == [other]
            }
        }
    }

    @Test func aLinkOfAnotherPersonReachesNothingOutsideOfTheShare() async throws {
        let store = try ada.store(.private)
        try await ada.save { context in
            let tag = context.insert("Tag", ["name": "today"])
            context.assign(tag, to: store)
            try context.note("Milk")?.mutableSetValue(forKey: "tags").add(tag)
            context.assign(context.insert("Note", ["title": "Secret"]), to: store)
        }
        let share = try await share(.readWrite)
        let (secret, tag) = (
            try await ada.objectID("Secret"),
            try #require(try await ada.read { try $0.only("Tag", "name", "today")?.objectID })
        )
        let zoneID = try #require(try bob.container.fetchShares(in: bob.store(.shared)).first).recordID.zoneID
        let link = CKRecord(recordType: "CDMR", recordID: CKRecord.ID(recordName: "intruder", zoneID: zoneID))
        let names = [ada.container.recordID(for: secret), ada.container.recordID(for: tag)].compactMap(\.?.recordName)
        link["CD_entityNames"] = "Note:Tag"
        link["CD_recordNames"] = names.joined(separator: ":")
        link["CD_relationships"] = "tags:notes"
        _ = try await bob.device.container.sharedCloudDatabase.save(link)
        try await bob.save { try $0.note("Milk")?.setValue("later", forKey: "text") }
        try await ada.wait(for: "what came later") { try $0.note("Milk")?.value(forKey: "text") as? String == "later" }
        let tags = try await ada.read { context in
            (try context.note("Secret")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count
        }
        #expect(tags == 0)
        #expect(share.recordID.zoneID.zoneName == zoneID.zoneName)
    }

    @Test func whatIsNoLongerSharedCanBeSharedAgain() async throws {
        let share = try await share(.readWrite)
        let laptop = cloud.account("ada").device("laptop").container
        try await laptop.privateCloudDatabase.deleteRecord(withID: share.recordID)
        try await bob.wait(for: "the end of the share") { try $0.titles().isEmpty }
        try await ada.wait(for: "the end of the share") { [container = ada.container] _ in
            try container.fetchShares(in: nil).isEmpty
        }
        #expect(try await ada.read { try $0.titles() } == ["Milk"])
        let again = try await self.share(.readOnly)
        #expect(again.recordID.zoneID == share.recordID.zoneID)
    }
}
