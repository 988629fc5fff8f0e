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
        let draft = url.deletingLastPathComponent().appendingPathComponent(
            draftPrefix + UUID().uuidString + Self.draftEnding)
        var options = request.options ?? [:]
        options[NSMigratePersistentStoresAutomaticallyOption] = nil
        defer { try? StoreFiles.destroy(at: draft.path) }
        try NSMigrationManager(sourceModel: source, destinationModel: model).migrate(
            StoreRequest(type: NSSQLiteStoreType, url: url, options: options),
            to: StoreRequest(
                type: NSSQLiteStoreType, configuration: request.configuration, url: draft, options: options),
            by: mapping)
        try file.connection.excludeOthers()
        guard try file.dataVersion() == version else { return false }
        removeDrafts(except: draft)
        if let stage = request.unfinishedStage {
            try StoreFile(path: draft.path, isReadOnly: false, timeout: .zero).setUnfinishedStage(stage)
        }
        try StoreFiles.replace(file, at: path, with: draft.path)
        return true
    }

    /// Drafts are hidden files beside the store.
    private static let draftEnding = ".sqlite"
    private var draftPrefix: String { ".\(URL(fileURLWithPath: path).lastPathComponent)-" }

    /// Removes what migrations left whose processes ended. While this one excludes others from the store, no other one
    /// reads it, so that nobody needs their drafts.
    private func removeDrafts(except own: URL) {
        let folder = own.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(draftPrefix) && name.hasSuffix(Self.draftEnding) {
            let identifier = name.dropFirst(draftPrefix.count).dropLast(Self.draftEnding.count)
            guard UUID(uuidString: String(identifier)) != nil, name != own.lastPathComponent else { continue }
            // A draft that stays takes only room.
            try? StoreFiles.destroy(at: folder.appendingPathComponent(name).path, evenIfOpen: true)
        }
    }
}

extension StoreFile {
    /// SQLite's number of the content, which changes when another connection writes.
    func dataVersion() throws -> Int64 { try statement("PRAGMA data_version").first { $0.integer(0) ?? 0 } ?? 0 }
}
