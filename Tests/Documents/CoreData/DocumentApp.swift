import CloudKit
import CoreData
import StratusMirrorEvents
import StratusTestSupport
import StratusTesting
import Testing

/// An app on a device of a person, with a file for each store.
final class DocumentApp: Sendable {
    /// A store of an app.
    struct Store {
        /// The database; nil for a store of the device only.
        var scope: CKDatabase.Scope?
        var configuration: String?
        var identifier = LocalCloud.defaultContainer
        var file: String { "\(scope.map { "\($0)" } ?? "local").sqlite" }
    }

    let container: NSPersistentCloudKitContainer
    let cloudContainer: CKContainer
    private let directory: TemporaryDirectory

    init(_ device: LocalCloud.Device, _ model: NSManagedObjectModel, _ stores: [Store]) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let container = NSPersistentCloudKitContainer(name: "Documents", managedObjectModel: model)
        container.persistentStoreDescriptions = stores.map { store in
            let description = NSPersistentStoreDescription(
                url: URL(fileURLWithPath: "\(directory.path)/\(store.file)"))
            description.configuration = store.configuration
            if let scope = store.scope {
                let options = NSPersistentCloudKitContainerOptions(containerIdentifier: store.identifier)
                options.databaseScope = scope
                description.cloudKitContainerOptions = options
            }
            return description
        }
        device.use { container.loadPersistentStores { _, error in #expect(error == nil) } }
        (self.container, self.directory, cloudContainer) = (container, directory, device.container)
    }

    /// The store of a database.
    func store(_ scope: CKDatabase.Scope?) throws -> NSPersistentStore {
        let file = Store(scope: scope).file
        let stores = container.persistentStoreCoordinator.persistentStores
        return try #require(stores.first { $0.url?.lastPathComponent == file })
    }

    /// Saves what the block changes.
    func save<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        try await container.performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let value = try body(context)
            try context.save()
            return value
        }
    }

    /// Adds an object with a title to the store of a database.
    @discardableResult
    func add(_ entity: String, _ title: String, to scope: CKDatabase.Scope?) async throws -> NSManagedObjectID {
        let store = try store(scope)
        return try await save { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(title, forKey: "title")
            context.assign(object, to: store)
            try context.obtainPermanentIDs(for: [object])
            return object.objectID
        }
    }

    /// The titles of all objects of an entity, in order.
    func titles(_ entity: String) async throws -> [String] {
        try await container.performBackgroundTask { context in
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
            return objects.compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    /// The identity of the object with a title.
    func objectID(_ entity: String, _ title: String) async throws -> NSManagedObjectID {
        let found = try await container.performBackgroundTask { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: "title == %@", title)
            return try context.fetch(request).map(\.objectID)
        }
        return try #require(found.count == 1 ? found[0] : nil)
    }

    /// Whether the person may change and delete an object; nil if one is so and the other is not.
    func mayChange(_ objectID: NSManagedObjectID) -> Bool? {
        let mayUpdate = container.canUpdateRecord(forManagedObjectWith: objectID)
        return container.canDeleteRecord(forManagedObjectWith: objectID) == mayUpdate ? mayUpdate : nil
    }

    /// Waits until something is so. It is looked at whenever a setup, an import or an export begins or ends.
    func wait(
        for what: String, until isSo: (NSPersistentCloudKitContainer.Event?) async throws -> Bool
    ) async throws {
        try await container.wait(for: what, until: isSo)
    }

    /// Waits for the objects of an entity.
    func wait(for titles: [String], of entity: String) async throws {
        try await wait(for: "\(titles)") { _ in try await self.titles(entity) == titles }
    }
}
