import Foundation
import StratusSQLite

// Migrations by mapping models, which have precedence over inferred ones.
extension StoreMigration {
    /// Attempts of a migration while others save to the store.
    private static let attempts = 10

    /// Migrates object by object, if there is a mapping model for the change: to a file beside the store, which then takes
    /// over its contents in one transaction, unless others have changed the store since it was read.
    /// - Parameter mapping: Returns the mapping model for the model that the store has.
    /// - Returns: Whether the store has the new model now.
    func migrateObjects(by mapping: (NSManagedObjectModel) -> NSMappingModel?) throws -> Bool {
        for _ in 0..<Self.attempts {
            let file = try StoreFile(path: path, isReadOnly: false, timeout: request.rowOptions.timeout)
            let version = try file.dataVersion()
            let metadata = try file.header().metadata
            // Another process may have migrated the store meanwhile.
            guard !model.isConfiguration(withName: request.configuration, compatibleWithStoreMetadata: metadata) else {
                return true
            }
            let source = try sourceModel(metadata, try ModelCache.read(from: file)?.model)
            guard let mapping = mapping(source) else { return false }
            if try migrate(from: source, mapping, file, version) { return true }
        }
        throw StoreFailure(.busy, "others changed the store during each of \(Self.attempts) migrations")
    }

    /// - Returns: Whether nobody has changed the store meanwhile. It is as it was otherwise.
    private func migrate(
        from source: NSManagedObjectModel, _ mapping: NSMappingModel, _ file: StoreFile, _ version: Int64
    ) throws -> Bool {
        let url = URL(fileURLWithPath: path)
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent)-\(UUID().uuidString).sqlite")
        var options = request.options ?? [:]
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        defer { try? StoreFiles.destroy(at: draft.path) }
        try NSMigrationManager(sourceModel: source, destinationModel: model).migrateStore(
            from: url, sourceType: NSSQLiteStoreType, options: options, with: mapping, toDestinationURL: draft,
            destinationType: NSSQLiteStoreType, destinationOptions: options)
        try file.connection.excludeOthers()
        guard try file.dataVersion() == version else { return false }
        try StoreFiles.replace(file, at: path, with: draft.path)
        return true
    }
}

extension StoreFile {
    /// SQLite's number of the content, which changes when another connection writes.
    func dataVersion() throws -> Int64 { try statement("PRAGMA data_version").first { $0.integer(0) ?? 0 } ?? 0 }
}
