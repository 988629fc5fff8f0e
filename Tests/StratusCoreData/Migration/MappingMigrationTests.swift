import Foundation
import Synchronization
import Testing

@testable import StratusCoreData

/// Migrations by mapping models when a store is opened.
@Suite struct MappingMigrationTests {
    private let store: MigratedStore

    init() throws { store = try MigratedStore() }

    private func next() throws -> NSManagedObjectModel {
        try MigratedStore.model { try $0.entity("Place").attributesByName["name"]?.versionHashModifier = "2" }
    }

    private func mapping(policy: (some NSEntityMigrationPolicy).Type) throws -> NSMappingModel {
        let mapping = NSEntityMapping()
        mapping.name = "PlaceToPlace"
        mapping.mappingType = .customEntityMappingType
        (mapping.sourceEntityName, mapping.destinationEntityName) = ("Place", "Place")
        mapping.entityMigrationPolicyClassName = NSStringFromClass(policy)
        let name = NSPropertyMapping()
        name.name = "name"
        name.value = NSExpressionOf.format("$source.name")
        mapping.attributeMappings = [name]
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        return model
    }

    private func migrate(_ model: NSManagedObjectModel, _ mapping: NSMappingModel) throws -> Bool {
        let request = StoreRequest(type: NSSQLiteStoreType, url: store.file, options: MigratedStore.migrating)
        let migration = StoreMigration(
            request: request, path: store.file.path, entities: model.entities, model: model)
        return try migration.migrateObjects { _ in mapping }
    }

    private static func insert(_ name: String, into file: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: MigratedStore.model())
        let opened = try coordinator.addPersistentStore(type: .sqlite, at: file)
        defer { try? coordinator.remove(opened) }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
            place.setValue(name, forKey: "name")
            try context.save()
        }
    }

    @Test func aSaveDuringAMigrationIsMigratedToo() throws {
        try Self.insert("A", into: store.file)
        // The second attempt finds nobody who saves.
        SavingPolicy.save.withLock { [file = store.file] in $0 = { try Self.insert("B", into: file) } }
        #expect(try migrate(try next(), try mapping(policy: SavingPolicy.self)))
        let names = try store.open(try next(), [:]) { try $0.all("Place").map { $0.value(forKey: "name") as? String } }
        #expect(names == ["A", "B"])
        #expect(try migrate(try next(), NSMappingModel()), "the store has the model already")
        let files = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
        #expect(files.allSatisfy { $0.hasPrefix("store.sqlite") || $0.hasPrefix(".store_SUPPORT") }, "\(files)")
    }

    @Test func aStoreOfOneConfigurationIsMigratedByObjects() throws {
        func configured(_ model: NSManagedObjectModel) throws -> NSManagedObjectModel {
            model.setEntities([try model.entity("Place")], forConfigurationName: "Places")
            return model
        }
        let (first, second) = (try configured(MigratedStore.model()), try configured(try next()))
        func places(_ model: NSManagedObjectModel, at url: URL, inserting name: String? = nil) throws -> [String?] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let opened = try coordinator.addPersistentStore(type: .sqlite, configuration: "Places", at: url)
            defer { try? coordinator.remove(opened) }
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return try context.performAndWait {
                if let name {
                    NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
                        .setValue(name, forKey: "name")
                    try context.save()
                }
                return try context.all("Place").map { $0.value(forKey: "name") as? String }
            }
        }
        _ = try places(first, at: store.file, inserting: "A")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.file)
        let found = NSManagedObjectModel(byMerging: [second, first], forStoreMetadata: metadata)
        #expect(found?.entityVersionHashesByName == first.entityVersionHashesByName)
        let mapping = try mapping(policy: NSEntityMigrationPolicy.self)
        let moved = store.folder.appendingPathComponent("new.sqlite")
        try NSMigrationManager(sourceModel: first, destinationModel: second).migrateStore(
            from: store.file, type: .sqlite, mapping: mapping, to: moved, type: .sqlite)
        #expect(try places(second, at: moved) == ["A"])
    }
}

/// Saves once to the store that is migrated.
final class SavingPolicy: NSEntityMigrationPolicy {
    static let save = Mutex<(@Sendable () throws -> Void)?>(nil)

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let save = Self.save.withLock { save in
            defer { save = nil }
            return save
        }
        try save?()
    }
}
