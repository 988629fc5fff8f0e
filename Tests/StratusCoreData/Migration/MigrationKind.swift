import Foundation
import Testing

@testable import StratusCoreData

/// The ways of migrating a store, for tests of processes that end in the middle.
enum MigrationKind: String, CaseIterable {
    /// Renames an attribute in the database.
    case lightweight
    /// Does the same object by object, by a mapping model.
    case mapping
    /// Makes texts of the numbers of an attribute, by way of a version that has both.
    case staged

    /// The versions of the model that the store has on the way, the last one at the end.
    private func versions() throws -> [NSManagedObjectModel] {
        switch self {
        case .lightweight, .mapping:
            let renamed = try MigratedStore.model { model in
                model.entities += [StoreFixture.entity("Animal")]
                let age = try model.entity("Person").attributesByName["age"]
                age?.name = "years"
                age?.renamingIdentifier = "age"
            }
            return [MigratedStore.model(), renamed]
        case .staged:
            let both = try MigratedStore.model {
                try $0.entity("Person").properties += [NSAttributeDescription.make("text", .string)]
            }
            let text = try MigratedStore.model { model in
                let person = try model.entity("Person")
                let years = NSAttributeDescription.make("years", .string)
                years.renamingIdentifier = "text"
                person.properties = person.properties.filter { $0.name != "age" } + [years]
            }
            return [MigratedStore.model(), both, text]
        }
    }

    /// Brings a store to the last version, from wherever it is.
    func migrate(_ file: URL) throws {
        let versions = try versions()
        let model = try #require(versions.last)
        var options = MigratedStore.migrating
        options[NSPersistentHistoryTrackingKey] = true
        switch self {
        case .lightweight: break
        case .mapping:
            let inferred = try NSMappingModel.inferredMappingModel(
                forSourceModel: versions[0], destinationModel: model)
            // Without its inference, it is a mapping model as any other.
            let mapping = NSMappingModel(inferred.entityMappings)
            let request = StoreRequest(type: NSSQLiteStoreType, url: file, options: options)
            _ = try StoreMigration(request: request, path: file.path, entities: model.entities, model: model)
                .migrateObjects { _ in mapping }
        case .staged: options[NSPersistentStoreStagedMigrationManagerOptionKey] = Self.manager(versions)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: options)
        try coordinator.remove(store)
    }

    private static func manager(_ versions: [NSManagedObjectModel]) -> NSStagedMigrationManager {
        func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
            NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
        }
        let stage = NSCustomMigrationStage(migratingFrom: reference(versions[0]), to: reference(versions[1]))
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for person in try context.all("Person") {
                    guard let age = person.value(forKey: "age") as? NSNumber else { continue }
                    person.setValue("\(age) years", forKey: "text")
                }
                try context.save()
            }
        }
        let last = NSLightweightMigrationStage([versions[1].versionChecksum, versions[2].versionChecksum])
        return NSStagedMigrationManager([stage, last])
    }

    /// Checks that a store is one of the versions, and all of it.
    /// - Returns: Whether it is the last one.
    func expectWhole(_ store: MigratedStore, persons: Int) throws -> Bool {
        let text = try store.inFile { try $0.prepare("PRAGMA integrity_check").first { $0.text(0) } }
        #expect(text == "ok")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: store.file)
        let versions = try versions()
        let version = try #require(
            versions.firstIndex { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) })
        let isNew = version == versions.count - 1
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        try store.open(versions[version], options) { (context: NSManagedObjectContext) throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            #expect(try context.count(for: request) == persons)
            let ada = try context.one("Person", "Ada")
            #expect(ada.labels("friends") == ["Eve", "Bob"])
            #expect((ada.value(forKey: "photo") as? Data)?.count == 200_000)
            if self == .staged, isNew {
                #expect(ada.value(forKey: "years") as? String == "40 years")
            } else {
                #expect(ada.value(forKey: isNew ? "years" : "age") as? Int == 40)
            }
            // Migrations in the database keep the history.
            guard self == .lightweight else { return }
            let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
            let transactions = (try context.execute(history) as? NSPersistentHistoryResult)?.result as? [Any]
            #expect(transactions?.count == 1)
        }
        return isNew
    }
}
