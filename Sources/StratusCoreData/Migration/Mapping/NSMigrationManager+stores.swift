import Foundation

// The models and stores of a migration.
extension NSMigrationManager {
    /// Returns the configuration of the source's model whose entities a store has; nil for all entities. A model that was
    /// read from the cache of a store file has no configurations, and gets one.
    func configuration(of store: StoreRequest) throws -> String? {
        guard let url = store.url else { return nil }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: store.type, at: url, options: store.options)
        func fits(_ configuration: String?) -> Bool {
            sourceModel.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
        }
        if fits(nil) { return nil }
        if let found = sourceModel.configurations.first(where: fits) { return found }
        let names = (metadata[MetadataKey.hashes] as? [String: Any] ?? [:]).keys
        let ofStore = "Entities of the store"
        sourceModel.setEntities(
            sourceModel.entities.filter { names.contains($0.name ?? "") }, forConfigurationName: ofStore)
        return ofStore
    }
}

extension NSPersistentStoreCoordinator {
    /// Closes all stores.
    func closeAll() {
        for store in persistentStores { try? remove(store) }
    }
}

extension NSManagedObjectModel {
    /// A copy whose objects have none of the program's classes.
    var withPlainObjects: NSManagedObjectModel {
        let copy = self.copy() as? NSManagedObjectModel ?? NSManagedObjectModel()
        for entity in copy.entities { entity.managedObjectClassName = "NSManagedObject" }
        return copy
    }
}
