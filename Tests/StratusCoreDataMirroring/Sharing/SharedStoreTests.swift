import CloudKit
import CoreData
import StratusTesting
import Testing

/// Objects that one person shares with another who may change them and a third who may read them.
@Suite struct SharedStoreTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let bob: MirroredDevice
    private let carol: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        ada = try MirroredDevice(cloud.account("ada").device("phone"), [.private, .shared])
        bob = try MirroredDevice(cloud.account("bob").device("phone"), [.private, .shared])
        carol = try MirroredDevice(cloud.account("carol").device("phone"), [.private, .shared])
    }

    /// Saves a note with a folder and a tag, and another note that has nothing to do with it.
    private func makeNotes() async throws {
        let store = try ada.store(.private)
        try await ada.save { context in
            let note = context.insert("Note", ["title": "Milk"])
            let folder = context.insert("Folder", ["name": "Shopping"])
            let tag = context.insert("Tag", ["name": "today"])
            let other = context.insert("Note", ["title": "Secret"])
            note.setValue(folder, forKey: "folder")
            note.mutableSetValue(forKey: "tags").add(tag)
            for object in [note, folder, tag, other] { context.assign(object, to: store) }
        }
    }

    private func share() async throws -> CKShare {
        let noteID = try await ada.objectID("Milk")
        let (moved, share, container) = try await ada.share([noteID], to: nil)
        #expect(moved.count == 3 && moved.contains(noteID))
        let people = try await ada.container.fetchParticipants(
            matching: CKUserIdentity.LookupInfo.lookupInfos(withEmails: ["bob@example.com", "carol@example.com"]),
            into: ada.store(.private))
        people[0].permission = .readWrite
        for participant in people { share.addParticipant(participant) }
        #expect(container.containerIdentifier == LocalCloud.defaultContainer)
        return try await ada.container.persistUpdatedShare(share, in: ada.store(.private))
    }

    private func join(_ share: CKShare, _ device: MirroredDevice) async throws {
        let container = device.device.container
        let metadata = try await container.shareMetadata(for: try #require(share.url))
        try await device.container.acceptShareInvitations(from: [metadata], into: device.store(.shared))
        try await device.wait(for: "the shared note") { context in
            let note = try context.note("Milk")
            return (note?.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String == "Shopping"
                && (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
    }

    @Test func whatIsSharedArrivesAndNothingElse() async throws {
        try await makeNotes()
        let share = try await share()
        #expect(share.recordID.zoneID.zoneName.hasPrefix("com.apple.coredata.cloudkit.share."))
        for device in [bob, carol] {
            try await join(share, device)
            #expect(try await device.read { try $0.titles() } == ["Milk"])
            #expect(try device.container.fetchShares(in: device.store(.private)).isEmpty)
            let noteID = try await device.objectID("Milk")
            #expect(try noteID.persistentStore === device.store(.shared))
            let found = try device.container.fetchShares(matching: [noteID])[noteID]
            #expect(found?.owner.role == .owner)
            #expect(found?.currentUserParticipant?.permission == (device === bob ? .readWrite : .readOnly))
        }
        // Both directions.
        try await bob.save { try $0.note("Milk")?.setValue("two", forKey: "text") }
        for device in [ada, carol] {
            try await device.wait(for: "the text") { try $0.note("Milk")?.value(forKey: "text") as? String == "two" }
        }
        try await ada.save { try $0.note("Milk")?.setValue(Int64(7), forKey: "pages") }
        for device in [bob, carol] {
            try await device.wait(for: "the pages") { try $0.note("Milk")?.value(forKey: "pages") as? Int64 == 7 }
        }
    }

    @Test func theOwnersObjectsStayTheSame() async throws {
        try await makeNotes()
        let before = try await ada.objectID("Milk")
        let share = try await share()
        #expect(try await ada.objectID("Milk") == before)
        #expect(try await ada.read { try $0.titles() } == ["Milk", "Secret"])
        let shares = try ada.container.fetchShares(matching: [before, try await ada.objectID("Secret")])
        #expect(shares.mapValues(\.recordID) == [before: share.recordID])
        let home = CKRecordZone.ID.mirroredHome
        let left = try await cloud.records(in: home, of: cloud.account("ada"))
        #expect(left.map { $0["CD_title"] as? String } == ["Secret"])
        let moved = try await cloud.records(in: share.recordID.zoneID, of: cloud.account("ada"))
        #expect(moved.map(\.recordType).sorted() == ["CDMR", "CD_Folder", "CD_Note", "CD_Tag"])
        // Another device of the owner keeps its objects, too.
        let laptop = try MirroredDevice(cloud.account("ada").device("laptop"), [.private, .shared])
        try await laptop.wait(for: "everything") { context in
            try context.titles() == ["Milk", "Secret"]
                && (try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        let laptopsNote = try await laptop.objectID("Milk")
        #expect(try laptop.container.fetchShares(matching: [laptopsNote])[laptopsNote]?.participants.count == 3)
    }

    @Test func anotherDeviceOfTheOwnerKeepsObjectsThatMove() async throws {
        let laptop = try MirroredDevice(cloud.account("ada").device("laptop"), [.private, .shared])
        try await makeNotes()
        try await laptop.wait(for: "the notes") { context in
            try context.titles() == ["Milk", "Secret"]
                && (try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        let before = try await laptop.objectID("Milk")
        _ = try await share()
        try await laptop.wait(for: "the share") { [container = laptop.container] _ in
            try container.fetchShares(matching: [before])[before] != nil
        }
        try await laptop.save { try $0.note("Milk")?.setValue("moved", forKey: "text") }
        try await ada.wait(for: "the change") { try $0.note("Milk")?.value(forKey: "text") as? String == "moved" }
        #expect(try await laptop.objectID("Milk") == before)
        #expect(try await laptop.read { try $0.titles() } == ["Milk", "Secret"])
        let kept = try await laptop.read { context in
            let note = try context.note("Milk")
            return (note?.value(forKey: "folder") as? NSManagedObject)?.value(forKey: "name") as? String
        }
        #expect(kept == "Shopping")
    }

    @Test func newObjectsGoToTheShareThatTheyAreRelatedTo() async throws {
        try await makeNotes()
        let share = try await share()
        try await join(share, bob)
        try await bob.save { context in
            let folder = try context.only("Folder", "name", "Shopping")
            let note = context.insert("Note", ["title": "Bread"])
            note.setValue(folder, forKey: "folder")
            note.mutableSetValue(forKey: "mentions").add(context.insert("Note", ["title": "Butter"]))
        }
        try await ada.wait(for: "bob's notes") { try $0.titles() == ["Bread", "Butter", "Milk", "Secret"] }
        let breadID = try await bob.objectID("Bread")
        #expect(try breadID.persistentStore === bob.store(.shared))
        try await ada.save { context in
            let folder = try context.only("Folder", "name", "Shopping")
            context.insert("Note", ["title": "Cheese"]).setValue(folder, forKey: "folder")
        }
        try await bob.wait(for: "ada's note") { try $0.titles() == ["Bread", "Butter", "Cheese", "Milk"] }
        // In ada's own database they are in the zone of the share.
        let records = try await cloud.records(in: share.recordID.zoneID, of: cloud.account("ada"))
        #expect(records.filter { $0.recordType == "CD_Note" }.count == 4)
    }

    @Test func whoMayOnlyReadIsKnownWithoutTheServer() async throws {
        try await makeNotes()
        let share = try await share()
        #expect(try !bob.container.canModifyManagedObjects(in: bob.store(.shared)))
        for device in [bob, carol] { try await join(share, device) }
        let (bobs, carols) = (try await bob.objectID("Milk"), try await carol.objectID("Milk"))
        cloud.forgetRequests()
        #expect(bob.container.canUpdateRecord(forManagedObjectWith: bobs))
        #expect(bob.container.canDeleteRecord(forManagedObjectWith: bobs))
        #expect(try bob.container.canModifyManagedObjects(in: bob.store(.shared)))
        #expect(!carol.container.canUpdateRecord(forManagedObjectWith: carols))
        #expect(!carol.container.canDeleteRecord(forManagedObjectWith: carols))
        #expect(try !carol.container.canModifyManagedObjects(in: carol.store(.shared)))
        #expect(try carol.container.canModifyManagedObjects(in: carol.store(.private)))
        #expect(cloud.requests.isEmpty)
        // A permission changes.
        let known = try await ada.objectID("Milk")
        let current = try #require(try ada.container.fetchShares(matching: [known])[known])
        for participant in current.participants where participant.role != .owner {
            participant.permission = participant.permission == .readOnly ? .readWrite : .readOnly
        }
        try await ada.container.persistUpdatedShare(current, in: ada.store(.private))
        try await carol.wait(for: "the right to write") { [container = carol.container] _ in
            container.canUpdateRecord(forManagedObjectWith: carols)
        }
        try await bob.wait(for: "the loss of it") { [container = bob.container] _ in
            !container.canDeleteRecord(forManagedObjectWith: bobs)
        }
    }

    @Test func aForbiddenChangeIsTakenBackAndTheRestGoesOn() async throws {
        try await makeNotes()
        let share = try await share()
        for device in [bob, carol] { try await join(share, device) }
        let milk = try await carol.objectID("Milk")
        try await carol.save { context in
            let note = try #require(try context.note("Milk"))
            note.setValue("Mine", forKey: "title")
            context.insert("Note", ["title": "Intruder"]).setValue(note.value(forKey: "folder"), forKey: "folder")
            if let tag = try context.only("Tag", "name", "today") { context.delete(tag) }
        }
        let uri = milk.uriRepresentation().absoluteString
        _ = try await carol.wait(forEvent: "the refused export") { event in
            event.type == .export && event.error?.localizedDescription.contains(uri) == true
        }
        try await carol.wait(for: "the former state") { context in
            try context.titles() == ["Milk"] && context.only("Tag", "name", "today") != nil
                && (try context.note("Milk")?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
        try await bob.save { try $0.note("Milk")?.setValue("two", forKey: "text") }
        try await carol.wait(for: "the text") { try $0.note("Milk")?.value(forKey: "text") as? String == "two" }
        #expect(try await ada.read { try $0.titles() } == ["Milk", "Secret"])
    }

    @Test func whoLeavesOrIsRemovedLosesTheObjects() async throws {
        try await makeNotes()
        let share = try await share()
        try await join(share, bob)
        try await join(share, carol)
        // One leaves.
        let zoneID = try #require(try carol.container.fetchShares(in: carol.store(.shared)).first).recordID.zoneID
        try await carol.container.purgeObjectsAndRecordsInZone(with: zoneID, in: carol.store(.shared))
        #expect(try await carol.read { try $0.titles() }.isEmpty)
        #expect(try carol.container.fetchShares(in: nil).isEmpty)
        // One is removed.
        try await ada.wait(for: "the share without carol") { [container = ada.container] _ in
            try container.fetchShares(in: nil).first?.participants.count == 2
        }
        let current = try #require(try ada.container.fetchShares(in: nil).first)
        for participant in current.participants where participant.role != .owner {
            current.removeParticipant(participant)
        }
        try await ada.container.persistUpdatedShare(current, in: ada.store(.private))
        try await bob.wait(for: "the removal") { try $0.titles().isEmpty }
        #expect(try await ada.read { try $0.titles() } == ["Milk", "Secret"])
    }

    @Test func purgingAShareDeletesItsObjectsEverywhere() async throws {
        try await makeNotes()
        let share = try await share()
        try await join(share, bob)
        try await ada.container.purgeObjectsAndRecordsInZone(with: share.recordID.zoneID, in: nil)
        try await bob.wait(for: "the end of the share") { try $0.titles().isEmpty }
        #expect(try await ada.read { try $0.titles() } == ["Secret"])
    }

    @Test func whatCannotBeSharedIsRefused() async throws {
        try await makeNotes()
        let share = try await share()
        try await join(share, bob)
        let (milk, secret) = (try await ada.objectID("Milk"), try await ada.objectID("Secret"))
        await #expect(throws: CocoaError.self) { try await ada.share([], to: nil) }
        let again = await #expect(throws: CocoaError.self) { try await ada.share([milk], to: nil) }
        #expect(again?.localizedDescription.contains("is shared already") == true)
        let bobs = try await bob.objectID("Milk")
        await #expect(throws: CocoaError.self) { try await bob.share([bobs], to: nil) }
        // An object that is in the share already stays there, and another one comes.
        let (moved, _, _) = try await ada.share([milk, secret], to: share)
        #expect(moved == [secret])
        try await bob.wait(for: "the other note") { try $0.titles() == ["Milk", "Secret"] }
    }
}

extension MirroredDevice {
    /// The identity of the note with a title.
    func objectID(_ title: String) async throws -> NSManagedObjectID {
        try #require(try await read { try $0.note(title)?.objectID })
    }

    /// Shares objects.
    func share(
        _ objectIDs: [NSManagedObjectID], to share: CKShare?
    ) async throws -> (Set<NSManagedObjectID>, CKShare, CKContainer) {
        let context = container.newBackgroundContext()
        return try await container.share(objectIDs.map { context.object(with: $0) }, to: share)
    }
}
