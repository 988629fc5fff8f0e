import CloudKit
import CoreData
import StratusTesting
import Testing

/// Somebody else saves a record in a share under the name of an object that the owner shares there later.
@Suite struct TakenNameTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let laptop: MirroredDevice
    private let bob: MirroredDevice

    init() async throws {
        cloud = try await LocalCloud()
        ada = try MirroredDevice(cloud.account("ada").device("phone"), [.private, .shared])
        laptop = try MirroredDevice(cloud.account("ada").device("laptop"), [.private, .shared])
        bob = try MirroredDevice(cloud.account("bob").device("phone"), [.private, .shared])
    }

    /// Shares one of two notes with a person who may write.
    private func shareOne() async throws -> CKShare {
        let store = try ada.store(.private)
        try await ada.save { context in
            context.assign(context.insert("Note", ["title": "Milk"]), to: store)
            let (secret, tag) = (context.insert("Note", ["title": "Secret"]), context.insert("Tag", ["name": "own"]))
            secret.mutableSetValue(forKey: "tags").add(tag)
            for object in [secret, tag] { context.assign(object, to: store) }
        }
        let (_, share, _) = try await ada.share([try await ada.objectID("Milk")], to: nil)
        share.publicPermission = .readWrite
        let saved = try await ada.container.persistUpdatedShare(share, in: ada.store(.private))
        let metadata = try await bob.device.container.shareMetadata(for: try #require(saved.url))
        try await bob.container.acceptShareInvitations(from: [metadata], into: bob.store(.shared))
        try await bob.wait(for: "the note") { try $0.titles() == ["Milk"] }
        try await laptop.wait(for: "the notes") { try $0.titles() == ["Milk", "Secret"] && $0.tags(of: "Secret") == 1 }
        return saved
    }

    /// Saves a record under the name of an object that is not shared.
    @discardableResult
    private func take(_ type: String) async throws -> CKRecord.ID {
        let secret = try await ada.objectID("Secret")
        let name = try #require(ada.container.recordID(for: secret)).recordName
        let zoneID = try #require(try bob.container.fetchShares(in: bob.store(.shared)).first).recordID.zoneID
        let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
        record["CD_entityName"] = "Note"
        record["CD_title"] = "Taken"
        _ = try await bob.device.container.sharedCloudDatabase.save(record)
        return record.recordID
    }

    /// Shares the second note, and waits until all devices have the same.
    private func shareOther(_ share: CKShare, _ titles: [String]) async throws {
        let (before, laptops) = (try await ada.objectID("Secret"), try await laptop.objectID("Secret"))
        let (moved, _, _) = try await ada.share([before], to: share)
        #expect(moved.count == 2)
        for device in [bob, ada, laptop] {
            try await device.wait(for: "all notes") { try $0.titles() == titles && $0.tags(of: "Secret") == 1 }
        }
        try await laptop.wait(for: "the move") { [container = laptop.container] _ in
            container.recordID(for: laptops)?.zoneID.zoneName == share.recordID.zoneID.zoneName
        }
        #expect(try await ada.objectID("Secret") == before)
        #expect(try await laptop.objectID("Secret") == laptops)
        try await laptop.save { try $0.note("Secret")?.setValue("later", forKey: "text") }
        for device in [bob, ada] {
            try await device.wait(for: "the text") {
                try $0.note("Secret")?.value(forKey: "text") as? String == "later" && $0.titles() == titles
            }
        }
        try await ada.waitForRecords("nothing at home", in: cloud, of: cloud.account("ada")) { $0.isEmpty }
        let records = try await cloud.records(in: share.recordID.zoneID, of: cloud.account("ada"))
        #expect(records.compactMap { $0["CD_title"] as? String }.sorted() == titles)
        #expect(records.count { $0.recordType == "CDMR" } == 1)
    }

    @Test func anObjectWhoseNameIsTakenGetsAnother() async throws {
        let share = try await shareOne()
        try await take("CD_Note")
        for device in [ada, laptop] {
            try await device.wait(for: "bob's note") { try $0.titles() == ["Milk", "Secret", "Taken"] }
        }
        try await shareOther(share, ["Milk", "Secret", "Taken"])
    }

    @Test func anObjectInAnotherShareKeepsItsNameAndItsLinks() async throws {
        _ = try await shareOne()
        try await take("CD_Note")
        let store = try ada.store(.private)
        try await ada.save { context in
            context.assign(context.insert("Tag", ["name": "home"]), to: store)
        }
        for device in [ada, laptop] {
            try await device.wait(for: "everything") { context in
                try context.titles() == ["Milk", "Secret", "Taken"] && context.only("Tag", "name", "home") != nil
            }
        }
        let (before, laptops) = (try await ada.objectID("Secret"), try await laptop.objectID("Secret"))
        try await ada.waitForRecords("the tag", in: cloud, of: cloud.account("ada")) { records in
            records.contains { $0["CD_name"] as? String == "home" }
        }
        let (moved, _, _) = try await ada.share([before], to: nil)
        #expect(moved.count == 2)
        try await ada.save { context in
            let tag = try #require(try context.only("Tag", "name", "home"))
            try context.note("Secret")?.mutableSetValue(forKey: "tags").add(tag)
        }
        let new = try MirroredDevice(cloud.account("ada").device("tablet"), [.private, .shared])
        for device in [laptop, new, ada] {
            try await device.wait(for: "both tags") { context in
                try context.titles() == ["Milk", "Secret", "Taken"] && context.tags(of: "Secret") == 2
                    && context.tags(of: "Taken") == 0
            }
        }
        #expect(try await laptop.objectID("Secret") == laptops)
    }

    @Test func theEndOfARecordWithATakenNameEndsNoLinkOfTheOther() async throws {
        _ = try await shareOne()
        let taken = try await take("CD_Note")
        for device in [ada, laptop] {
            try await device.wait(for: "bob's note") { try $0.titles() == ["Milk", "Secret", "Taken"] }
        }
        try await bob.device.container.sharedCloudDatabase.deleteRecord(withID: taken)
        for device in [ada, laptop] {
            try await device.wait(for: "its end") { try $0.titles() == ["Milk", "Secret"] }
            // What waits is sent in its order.
            try await device.save { try $0.note("Secret")?.setValue("after it", forKey: "text") }
            try await device.waitForRecords("the text", in: cloud, of: cloud.account("ada")) { records in
                records.contains { $0["CD_text"] as? String == "after it" }
            }
        }
        let home = CKRecordZone.ID.mirroredHome
        #expect(try await cloud.records(in: home, of: cloud.account("ada")).count { $0.recordType == "CDMR" } == 1)
        #expect(try await laptop.read { try $0.tags(of: "Secret") } == 1)
    }

    @Test func aRecordThatIsNoObjectOfTheStoreTakesNoNameEither() async throws {
        let share = try await shareOne()
        try await take("Other")
        try await bob.save { try $0.note("Milk")?.setValue("after it", forKey: "text") }
        for device in [ada, laptop] {
            try await device.wait(for: "what came after it") { context in
                try context.note("Milk")?.value(forKey: "text") as? String == "after it"
            }
        }
        let (moved, _, _) = try await ada.share([try await ada.objectID("Secret")], to: share)
        #expect(moved.count == 2)
        for device in [bob, ada, laptop] {
            try await device.wait(for: "both notes") {
                try $0.titles() == ["Milk", "Secret"] && $0.tags(of: "Secret") == 1
            }
        }
    }
}

extension NSManagedObjectContext {
    /// The number of tags of a note; nil without the note.
    fileprivate func tags(of title: String) throws -> Int? {
        (try note(title)?.value(forKey: "tags") as? Set<NSManagedObject>)?.count
    }
}
