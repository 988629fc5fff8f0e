import CloudKit
import CoreData
import StratusTesting
import Testing

/// The article about a public database with Core Data: roles, rights, polling, deletions, configurations, the schema.
@Suite struct PublicItemsTests {
    private static let stores = [DocumentApp.Store(scope: .public, configuration: "public")]

    private let cloud: LocalCloud

    init() async throws { cloud = try await LocalCloud() }

    private func app(_ name: String, isSignedIn: Bool = true) throws -> DocumentApp {
        let device = cloud.account(name).device("phone")
        if !isSignedIn { device.signOut() }
        return try DocumentApp(device, DocumentModel.items(), Self.stores)
    }

    private func waitForPublicRecords(_ titles: [String], _ app: DocumentApp) async throws {
        try await app.wait(for: "the records \(titles)") { [cloud] _ in
            try await cloud.publicRecords().compactMap { $0["CD_title"] as? String }.sorted() == titles
        }
    }

    @Test("Everybody reads, also without an account, and only who has one adds")
    func world() async throws {
        let ada = try app("ada")
        try await ada.add("Item", "Lamp", to: .public)
        let visitor = try app("visitor", isSignedIn: false)
        try await visitor.wait(for: ["Lamp"], of: "Item")
        #expect(try !visitor.container.canModifyManagedObjects(in: visitor.store(.public)))
        try await visitor.add("Item", "Chair", to: .public)
        let bob = try app("bob")
        try await bob.wait(for: ["Lamp"], of: "Item")
        #expect(try bob.container.canModifyManagedObjects(in: bob.store(.public)))
        try await bob.add("Item", "Table", to: .public)
        try await waitForPublicRecords(["Lamp", "Table"], bob)
    }

    @Test("Only its creator changes or deletes a record; what others do is refused, and the rest goes on")
    func creator() async throws {
        let (ada, bob) = (try app("ada"), try app("bob"))
        try await ada.add("Item", "Lamp", to: .public)
        try await bob.wait(for: ["Lamp"], of: "Item")
        let id = try await bob.objectID("Item", "Lamp")
        #expect(bob.mayChange(id) == false)
        try await bob.save { $0.object(with: id).setValue("Mine", forKey: "title") }
        try await bob.wait(for: "the refusal") { $0?.type == .export && $0?.endDate != nil && $0?.error != nil }
        try await bob.add("Item", "Table", to: .public)
        try await ada.wait(for: ["Lamp", "Table"], of: "Item")
        try await bob.wait(for: ["Lamp", "Table"], of: "Item")
    }

    @Test("An object may be changed if it is not saved, not mirrored, in a private store, or the person's own")
    func fiveCases() async throws {
        let device = cloud.account("ada").device("phone")
        let app = try DocumentApp(
            device, DocumentModel.items(), Self.stores + [.init(scope: .private, configuration: "private")])
        let local = try DocumentApp(device, DocumentModel.items(), [.init(scope: nil)])
        // 1. The identity is temporary.
        let isTemporaryAllowed = await app.container.performBackgroundTask { context in
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            return item.objectID.isTemporaryID && app.mayChange(item.objectID) == true
        }
        #expect(isTemporaryAllowed)
        // 2. The store does not use CloudKit.
        #expect(local.mayChange(try await local.add("Item", "Local", to: nil)) == true)
        #expect(try local.container.canModifyManagedObjects(in: local.store(nil)))
        // 3. The store is one of the private database.
        #expect(app.mayChange(try await app.add("Memo", "Note", to: .private)) == true)
        // 4. The object was not sent yet, or the person has created its record.
        let outage = cloud.faults.inject(.offline, on: .saveRecords, times: nil)
        let id = try await app.add("Item", "Lamp", to: .public)
        #expect(app.mayChange(id) == true)
        outage.remove()
        try await waitForPublicRecords(["Lamp"], app)
        #expect(app.mayChange(id) == true)
        // 5., the permission in a share, is in the tests of the talk about sharing.
    }

    @Test("Changes and deletions of others are polled; the mirror subscribes to nothing")
    func polling() async throws {
        let (ada, bob) = (try app("ada"), try app("bob"))
        let id = try await ada.add("Item", "Lamp", to: .public)
        try await ada.add("Item", "Table", to: .public)
        try await bob.wait(for: ["Lamp", "Table"], of: "Item")
        try await ada.save { $0.object(with: id).setValue("Light", forKey: "title") }
        try await bob.wait(for: ["Light", "Table"], of: "Item")
        try await ada.save { $0.delete($0.object(with: id)) }
        try await bob.wait(for: ["Table"], of: "Item")
        #expect(try await bob.cloudContainer.publicCloudDatabase.allSubscriptions().isEmpty)
    }

    @Test("An attribute can stand for a deletion, so that the object stays and lists leave it out")
    func removedByAttribute() async throws {
        let (ada, bob) = (try app("ada"), try app("bob"))
        let id = try await ada.add("Item", "Lamp", to: .public)
        try await bob.wait(for: ["Lamp"], of: "Item")
        try await ada.save { $0.object(with: id).setValue(true, forKey: "isRemoved") }
        try await bob.wait(for: "the mark") { _ in
            try await bob.container.performBackgroundTask { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = NSPredicate(format: "isRemoved == true")
                return try context.count(for: request) == 1
            }
        }
        #expect(try await cloud.publicRecords().count == 1)
    }

    @Test("One app has a public and a private store, each with its own configuration, file and container")
    func twoContainers() async throws {
        let other = "iCloud.org.example.private"
        let stores = Self.stores + [.init(scope: .private, configuration: "private", identifier: other)]
        let account = cloud.account("ada")
        let app = try DocumentApp(account.device("phone"), DocumentModel.items(), stores)
        try await app.add("Item", "Lamp", to: .public)
        try await app.add("Memo", "Buy a lamp", to: .private)
        let laptop = try DocumentApp(account.device("laptop"), DocumentModel.items(), stores)
        try await laptop.wait(for: ["Lamp"], of: "Item")
        try await laptop.wait(for: ["Buy a lamp"], of: "Memo")
        #expect(try await cloud.publicRecords().map(\.recordType) == ["CD_Item"])
        // The memos are in the other container, and Bob has none of them.
        let zones = try await account.container(other).privateCloudDatabase.allRecordZones()
        #expect(zones.contains { $0.zoneID.zoneName == "com.apple.coredata.cloudkit.zone" })
        #expect(try await cloud.zones(of: account).allSatisfy { $0 == .default })
        let bob = try DocumentApp(cloud.account("bob").device("phone"), DocumentModel.items(), stores)
        try await bob.wait(for: ["Lamp"], of: "Item")
        #expect(try await bob.titles("Memo").isEmpty)
    }

    @Test("Options are those of the private database until the scope says otherwise")
    func scope() {
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: "iCloud.org.example.public")
        #expect(options.databaseScope == .private)
        options.databaseScope = .public
        #expect(options.databaseScope == .public && options.containerIdentifier == "iCloud.org.example.public")
    }

    @Test("Two stores need two files: the second store of one file is not loaded")
    func oneFile() throws {
        let app = try app("ada")
        let first = try #require(app.container.persistentStoreDescriptions.first)
        let second = try #require(first.copy() as? NSPersistentStoreDescription)
        second.configuration = "private"
        app.container.persistentStoreDescriptions = [second]
        app.container.loadPersistentStores { _, error in #expect(error != nil) }
        #expect(app.container.persistentStoreCoordinator.persistentStores.count == 1)
    }

    @Test("The public database takes no encrypted attributes, and a model that cannot be mirrored is named at once")
    func unsuitableModel() async throws {
        let container = NSPersistentCloudKitContainer(name: "Posts", managedObjectModel: DocumentModel.posts())
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
        let options = NSPersistentCloudKitContainerOptions(containerIdentifier: LocalCloud.defaultContainer)
        options.databaseScope = .public
        description.cloudKitContainerOptions = options
        container.persistentStoreDescriptions = [description]
        cloud.account("ada").use {
            container.loadPersistentStores { _, error in
                #expect(error?.localizedDescription.contains("'Post.location' allows encryption") == true)
            }
        }
        #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
    }

    @Test("The schema is checked without the server, and sent when that is wanted")
    func schema() async throws {
        let app = try app("ada")
        try await app.wait(for: "the first fetch") { $0?.type == .import && $0?.endDate != nil }
        cloud.forgetRequests()
        try await initializeSchema(app, .dryRun)
        #expect(!cloud.requests.contains { $0.calls.contains(.saveRecords) })
        try await initializeSchema(app, [])
        #expect(try await cloud.publicRecords().isEmpty)
        // A query of a type that the server does not know would fail.
        let query = CKQuery(recordType: "CD_Item", predicate: NSPredicate(format: "CD_title == %@", "Lamp"))
        let database = app.cloudContainer.publicCloudDatabase
        #expect(try await database.records(matching: query).matchResults.isEmpty)
    }

    /// The function blocks, so that it has a thread of its own.
    private func initializeSchema(
        _ app: DocumentApp, _ options: NSPersistentCloudKitContainerSchemaInitializationOptions
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(with: Result { try app.container.initializeCloudKitSchema(options: options) })
            }
        }
    }
}
