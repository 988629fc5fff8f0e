import Foundation
import StratusSQLite

/// Brings a store file to another model when it is opened.
struct StoreMigration {
    let request: StoreRequest
    let path: String
    let entities: [NSEntityDescription]
    let model: NSManagedObjectModel

    /// Changes the file in one transaction: when the process ends before it does, the file is as it was.
    /// - Throws: A Cocoa error; the file is as it was then.
    func run() throws {
        do {
            try migrate()
        } catch let error as SQLiteError {
            throw StoreFailure(error)
        }
    }

    private func migrate() throws {
        let isMigrated =
            try request.formerModel == nil
            && migrateObjects { NSMappingModel(from: nil, forSourceModel: $0, destinationModel: model) }
        if !isMigrated { try migrateInPlace() }
    }

    private func migrateInPlace() throws {
        let file = try StoreFile(path: path, isReadOnly: false, timeout: request.rowOptions.timeout)
        try file.connection.excludeOthers()
        let metadata = try file.header().metadata
        // Another process may have migrated the store meanwhile.
        guard !model.isConfiguration(withName: request.configuration, compatibleWithStoreMetadata: metadata) else {
            return
        }
        let source = try sourceModel(metadata, try ModelCache.read(from: file)?.model)
        try infer(from: source, metadata, in: file)
    }

    private func infer(from source: NSManagedObjectModel, _ metadata: [String: Any], in file: StoreFile) throws {
        guard request.flag(NSInferMappingModelAutomaticallyOption) else {
            throw missingMapping(source, nil)
        }
        let names = (metadata[MetadataKey.hashes] as? [String: Any] ?? [:]).keys
        let mapping: MappingInference
        do {
            mapping = try MappingInference(from: source.entities.filter { names.contains($0.name ?? "") }, to: entities)
        } catch {
            throw missingMapping(source, error)
        }
        let external = ExternalFiles(store: path)
        let transformation = try StoreTransformation(mapping, in: file, external: external)
        let former = try file.externalFileNames()
        try file.connection.transaction {
            try transformation.run()
            var changed = metadata
            changed[MetadataKey.unfinishedStage] = request.unfinishedStage
            try file.setModel(entities, of: changed)
        }
        external?.remove(former.subtracting(try file.externalFileNames()))
    }

    func sourceModel(
        _ metadata: [String: Any], _ cached: NSManagedObjectModel?
    ) throws -> NSManagedObjectModel {
        if let formerModel = request.formerModel { return formerModel }
        let hashes = metadata[MetadataKey.hashes] as? [String: Any] ?? [:]
        let beside = { NSManagedObjectModel.merged(from: model.versionFolders, forStoreMetadata: metadata) }
        let inBundles = { NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) }
        if let found = beside() ?? inBundles() { return found }
        if let cached, Set(hashes.keys).isSubset(of: cached.entitiesByName.keys) { return cached }
        throw request.error(
            .migrationMissingSourceModel, "Can't find model for source store",
            ["reason": "Can't find model for source store", "metadata": metadata])
    }

    private func missingMapping(_ source: NSManagedObjectModel, _ underlying: (any Error)?) -> NSError {
        let reason = "Can't find or automatically infer mapping model for migration"
        var info: [String: Any] = ["reason": reason, "sourceModel": source, "destinationModel": model]
        if let underlying { info[NSUnderlyingErrorKey] = underlying }
        let detail = underlying.map { ": \(($0 as NSError).localizedDescription)" } ?? ""
        return request.error(.migrationMissingMappingModel, reason + detail, info)
    }
}

extension StoreFile {
    /// Writes the model that a file has now into its metadata and its cache.
    func setModel(_ entities: [NSEntityDescription], of metadata: [String: Any]) throws {
        var changed = metadata
        changed[MetadataKey.hashes] = SQLiteRowStore.hashes(of: entities)
        changed[MetadataKey.identifiers] = SQLiteRowStore.versionIdentifiers(of: entities)
        for key in MetadataKey.ofFormerModel { changed[key] = nil }
        try setMetadata(changed)
        try ModelCache.write(entities, to: self)
    }

    /// Writes the mark of a stage of a migration, or removes it.
    func setUnfinishedStage(_ mark: String?) throws {
        var metadata = try header().metadata
        metadata[MetadataKey.unfinishedStage] = mark
        try setMetadata(metadata)
    }

    private func setMetadata(_ metadata: [String: Any]) throws {
        let plist = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
        try statement("UPDATE Z_METADATA SET Z_PLIST = ?").run(Array(plist))
    }
}
