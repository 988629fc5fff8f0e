import Foundation

/// Brings a store to the model of a coordinator in the steps of a manager.
///
/// The version hashes of the store say which step is next, so that a migration that was interrupted goes on.
struct StagedMigration {
    let request: StoreRequest
    let manager: NSStagedMigrationManager
    let path: String

    func run(to model: NSManagedObjectModel) throws {
        for stage in try remainingStages(model) {
            let (current, next) = (stage.currentModel.resolvedModel, stage.nextModel.resolvedModel)
            try migrate(to: current)
            try perform(stage.willMigrateHandler, of: stage, with: current)
            try migrate(to: next)
            try perform(stage.didMigrateHandler, of: stage, with: next)
        }
        try migrate(to: model)
    }

    /// Returns the custom steps that the store still needs.
    private func remainingStages(_ model: NSManagedObjectModel) throws -> [NSCustomMigrationStage] {
        let metadata = try StoreFiles.metadata(at: path)
        let stages = manager.stages.enumerated().compactMap { index, stage in
            (stage as? NSCustomMigrationStage).map { (index, $0) }
        }
        func fits(_ model: NSManagedObjectModel) -> Bool {
            model.isConfiguration(withName: request.configuration, compatibleWithStoreMetadata: metadata)
        }
        if let done = stages.lastIndex(where: { fits($0.1.nextModel.resolvedModel) }) {
            return stages[(done + 1)...].map(\.1)
        }
        if let next = stages.firstIndex(where: { fits($0.1.currentModel.resolvedModel) }) {
            return stages[next...].map(\.1)
        }
        let hashes = metadata[MetadataKey.hashes] as? [String: Data] ?? [:]
        let checksum = NSManagedObjectModel.versionChecksum(of: hashes)
        let place = manager.stages.firstIndex { stage in
            (stage as? NSLightweightMigrationStage)?.versionChecksums.contains { $0 == checksum } ?? false
        }
        guard let place else {
            guard stages.isEmpty else {
                throw request.error(
                    .migrationMissingSourceModel, "no stage of the migration begins with the model of the store")
            }
            return []
        }
        return stages.filter { $0.0 > place }.map(\.1)
    }

    private var options: [AnyHashable: Any] {
        var options = request.options ?? [:]
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        return options
    }

    private func migrate(to model: NSManagedObjectModel) throws {
        var step = request
        step.options = options
        try step.open(model).rows.close()
    }

    private func perform(
        _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
        of stage: NSCustomMigrationStage, with model: NSManagedObjectModel
    ) throws {
        guard let handler else { return }
        let container = NSPersistentContainer(name: stage.label ?? "Migration", managedObjectModel: model)
        let coordinator = container.persistentStoreCoordinator
        let store = try coordinator.addPersistentStore(
            ofType: request.type, configurationName: request.configuration, at: request.url, options: options)
        manager.container = container
        defer {
            manager.container = nil
            try? coordinator.remove(store)
        }
        try handler(manager, stage)
    }
}
