import CloudKit
import CoreData
import StratusCoreDataMirroring
import StratusTestSupport
import StratusTesting
import Testing

/// The rights to objects, and changes without them.
@Suite struct PublicPermissionTests {
    private let cloud: LocalCloud
    private let ada: MirroredDevice
    private let bob: MirroredDevice
    private let bobsDevice: LocalCloud.Device

    init() async throws {
        cloud = try await LocalCloud()
        ada = try .public(cloud.account("ada").device("phone"))
        bobsDevice = cloud.account("bob").device("phone")
        bob = try .public(bobsDevice)
        try await ada.save { context in
            let note = context.insert("Note", ["title": "Milk", "pages": 1])
            note.setValue(context.insert("Folder", ["name": "F"]), forKey: "folder")
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "T"]))
        }
        await ada.synchronize()
        await bob.synchronize()
    }

    private func isWhole(_ app: MirroredDevice) async throws -> Bool {
        try await app.read { context in
            let note = try context.note("Milk")
            let folder = note?.value(forKey: "folder") as? NSManagedObject
            return folder?.value(forKey: "name") as? String == "F" && note?.value(forKey: "pages") as? Int == 1
                && (note?.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 1
        }
    }

    @Test func creatorsMayChangeTheirObjects() async throws {
        #expect(try await ada.mayChange("Milk") == true)
        #expect(try await bob.mayChange("Milk") == false)
        #expect(ada.mayAdd && bob.mayAdd)
        try await bob.save { _ = $0.insert("Note", ["title": "Beer"]) }
        #expect(try await bob.mayChange("Beer") == true, "not sent yet")
        await bob.synchronize()
        await ada.synchronize()
        #expect(try await bob.mayChange("Beer") == true)
        #expect(try await ada.mayChange("Beer") == false)
        // The ID of an object that is not saved.
        let container = bob.container
        let isAllowed = await container.performBackgroundTask { context in
            container.canUpdateRecord(forManagedObjectWith: context.insert("Note", [:]).objectID)
        }
        #expect(isAllowed)
    }

    @Test func storesWithoutCloudKitAndPrivateStoresAllowEverything() async throws {
        let local = NSPersistentCloudKitContainer(name: "Local", managedObjectModel: Notebook.model())
        let directory = try TemporaryDirectory(inMemory: true)
        local.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: directory.path + "/local.sqlite"))
        ]
        local.loadPersistentStores { _, error in #expect(error == nil) }
        let id = try await local.performBackgroundTask { context in
            let note = context.insert("Note", ["title": "x"])
            try context.save()
            return note.objectID
        }
        #expect(local.canUpdateRecord(forManagedObjectWith: id) && local.canDeleteRecord(forManagedObjectWith: id))
        #expect(local.persistentStoreCoordinator.persistentStores.allSatisfy { local.canModifyManagedObjects(in: $0) })
        let device = cloud.account("eve").device("phone")
        device.signOut()
        let app = try MirroredDevice(device)
        try await app.save { _ = $0.insert("Note", ["title": "x"]) }
        #expect(try await app.mayChange("x") == true)
        #expect(app.mayAdd)
    }

    @Test func signingOutKeepsObjectsAndTakesRights() async throws {
        try await bob.save { _ = $0.insert("Note", ["title": "Beer"]) }
        await bob.synchronize()
        bobsDevice.signOut()
        #expect(try await bob.synchronizedTitles() == ["Beer", "Milk"])
        #expect(try await bob.mayChange("Beer") == false)
        #expect(!bob.mayAdd)
        // Nothing is sent, and everything else goes on.
        try await bob.save { _ = $0.insert("Note", ["title": "Wine"]) }
        try await ada.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        await ada.synchronize()
        #expect(try await bob.synchronizedTitles() == ["Beer", "Bread", "Wine"])
        #expect(try await ada.synchronizedTitles() == ["Beer", "Bread"])
        #expect(try await bob.mayChange("Wine") == true, "not sent yet")
        bobsDevice.signIn(as: cloud.account("bob"))
        await bob.synchronize()
        #expect(try await bob.mayChange("Beer") == true)
        #expect(try await ada.synchronizedTitles() == ["Beer", "Bread", "Wine"])
    }

    @Test(arguments: [true, false])
    func anotherAccountHasItsOwnRights(hasFeed: Bool) async throws {
        if !hasFeed { cloud.faults.inject(.error(.unknownItem), on: .fetchPublicChanges, times: nil) }
        try await bob.save { _ = $0.insert("Note", ["title": "Beer"]) }
        await bob.synchronize()
        bobsDevice.signIn(as: cloud.account("ada"))
        #expect(try await bob.synchronizedTitles() == ["Beer", "Milk"])
        #expect(try await bob.mayChange("Beer") == false)
        #expect(try await bob.mayChange("Milk") == true)
        try await bob.save { try $0.note("Milk")?.setValue("Bread", forKey: "title") }
        await bob.synchronize()
        #expect(try await ada.synchronizedTitles() == ["Beer", "Bread"])
    }

    @Test func aForbiddenChangeIsTakenBack() async throws {
        let id = try #require(try await bob.noteID("Milk")?.uriRepresentation().absoluteString)
        try await bob.save { context in
            let note = try context.note("Milk")
            note?.setValue("stolen", forKey: "text")
            note?.setValue(7, forKey: "pages")
            note?.setValue(context.insert("Folder", ["name": "G"]), forKey: "folder")
        }
        await bob.synchronize()
        #expect(try await isWhole(bob))
        #expect(try await bob.read { try $0.note("Milk")?.value(forKey: "text") == nil })
        let error = try #require(try await bob.failures(.export).last?.error)
        #expect(error.localizedDescription.contains(id))
        #expect((error as NSError).code == CKError.Code.partialFailure.rawValue)
        // Mirroring goes on: the folder is Bob's own, and later saves arrive.
        try await bob.save { _ = $0.insert("Note", ["title": "Beer"]) }
        await bob.synchronize()
        await ada.synchronize()
        #expect(try await isWhole(ada))
        #expect(try await ada.read { try $0.titles() } == ["Beer", "Milk"])
        #expect(try await ada.read { try $0.only("Folder", "name", "G") != nil })
        #expect(try await bob.failures(.export).count == 1)
    }

    @Test func aForbiddenDeletionBringsTheObjectBack() async throws {
        try await bob.save { context in
            for (entity, key, value) in [("Note", "title", "Milk"), ("Folder", "name", "F")] {
                if let object = try context.only(entity, key, value) { context.delete(object) }
            }
        }
        #expect(try await bob.read { try $0.titles() } == [])
        await bob.synchronize()
        #expect(try await isWhole(bob))
        #expect(try await bob.failures(.export).count == 1)
        await ada.synchronize()
        #expect(try await isWhole(ada))
        #expect(try await bob.mayChange("Milk") == false)
    }

    @Test func aForbiddenRemovalOfALinkIsTakenBack() async throws {
        try await bob.save { context in
            (try context.note("Milk"))?.setValue(Set<NSManagedObject>(), forKey: "tags")
        }
        await bob.synchronize()
        #expect(try await isWhole(bob))
        await ada.synchronize()
        #expect(try await isWhole(ada))
    }

    @Test func aForbiddenLinkIsRemoved() async throws {
        let grants = "GRANT WRITE TO \"_creator\", GRANT READ TO \"_world\", GRANT CREATE TO"
        let schema = """
            DEFINE SCHEMA
            CREATE ROLE editor;
            RECORD TYPE CD_Note (CD_entityName STRING, CD_title STRING, \(grants) "_icloud");
            RECORD TYPE CD_Tag (CD_entityName STRING, CD_name STRING, \(grants) "_icloud");
            RECORD TYPE CDMR (
                CD_entityNames STRING, CD_recordNames STRING, CD_relationships STRING, \(grants) editor);
            """
        let cloud = try await LocalCloud(LocalCloud.Options(environment: .production, schema: schema))
        let app = try MirroredDevice.public(cloud.account("ada").device("phone"))
        try await app.save { context in
            let note = context.insert("Note", ["title": "note"])
            note.mutableSetValue(forKey: "tags").add(context.insert("Tag", ["name": "tag"]))
        }
        #expect(try await app.synchronizedTitles() == ["note"])
        let links = try await app.read { context in
            (try context.only("Tag", "name", "tag")?.value(forKey: "notes") as? Set<NSManagedObject>)?.count
        }
        #expect(links == 0)
        #expect(try await app.failures(.export).count == 1)
    }

    @Test func aForbiddenObjectIsDeleted() async throws {
        let schema = """
            DEFINE SCHEMA
            CREATE ROLE editor;
            RECORD TYPE CD_Note (CD_entityName STRING, CD_title STRING,
                GRANT WRITE TO "_creator", GRANT CREATE TO editor, GRANT READ TO "_world");
            RECORD TYPE CD_Tag (CD_entityName STRING, CD_name STRING,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world");
            """
        let cloud = try await LocalCloud(LocalCloud.Options(environment: .production, schema: schema))
        let app = try MirroredDevice.public(cloud.account("ada").device("phone"))
        try await app.save { context in
            context.insert("Note", ["title": "forbidden"])
            context.insert("Tag", ["name": "allowed"])
        }
        #expect(try await app.synchronizedTitles() == [])
        #expect(try await cloud.publicRecords().filter { $0.recordType == "CD_Tag" }.count == 1)
        let error = try #require(try await app.failures(.export).last?.error)
        #expect(error.localizedDescription.contains("/Note/"))
    }

    @Test func aChangeOfATimeWithoutAnAccountIsTakenBackLater() async throws {
        bobsDevice.signOut()
        try await bob.save { try $0.note("Milk")?.setValue("mine", forKey: "title") }
        #expect(try await bob.synchronizedTitles() == ["mine"])
        bobsDevice.signIn(as: cloud.account("bob"))
        #expect(try await bob.synchronizedTitles() == ["Milk"])
    }

    @Test func aForbiddenChangeWaitsWhileItCannotBeTakenBack() async throws {
        let fault = cloud.faults.inject(.offline, on: .fetchRecords, times: nil)
        try await bob.save { try $0.note("Milk")?.setValue("mine", forKey: "title") }
        await bob.synchronize()
        #expect(try await bob.read { try $0.titles() } == ["mine"])
        fault.remove()
        #expect(try await bob.synchronizedTitles() == ["Milk"])
    }
}
