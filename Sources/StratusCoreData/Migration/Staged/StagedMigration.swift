import Foundation

/// Brings a store to the model of a coordinator in the steps of a manager.
///
/// The version hashes of the store say which step is next, so that a migration that was interrupted goes on. The change of
/// a step also marks the store, and the end of the step's second handler removes the mark, so that no handler is left out.
struct StagedMigration {
    let request: StoreRequest
    let manager: NSStagedMigrationManager
    let path: String

    func run(to model: NSManagedObjectModel) throws {
        try finishInterruptedStage()
        for stage in try remainingStages(model) {
            let current = stage.currentModel.resolvedModel
            try migrate(to: current)
            try perform(stage.willMigrateHandler, of: stage, with: current)
            try migrate(to: stage.nextModel.resolvedModel, in: stage)
            try finish(stage)
        }
        try migrate(to: model)
    }

    /// Runs the second handler of the step whose change is in the store, if that handler has not ended.
    func finishInterruptedStage() throws {
        guard let mark = try StoreFiles.metadata(at: path)[MetadataKey.unfinishedStage] as? String else { return }
        let stages = manager.stages.lazy.compactMap { $0 as? NSCustomMigrationStage }
        if let stage = stages.first(where: { Self.mark(of: $0) == mark }) { try finish(stage) }
    }

    /// The mark of a store in which a step has been made; nil for a step that ends with the change.
    private static func mark(of stage: NSCustomMigrationStage) -> String? {
        stage.didMigrateHandler.map { _ in stage.nextModel.resolvedModel.versionChecksum }
    }

    private func finish(_ stage: NSCustomMigrationStage) throws {
        guard let handler = stage.didMigrateHandler else { return }
        try perform(handler, of: stage, with: stage.nextModel.resolvedModel)
        try StoreFiles.removeMarkOfStage(at: path, timeout: request.rowOptions.timeout)
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
            if let remaining = stagesOfLaterVersions(stages.map(\.1), model, fits) { return remaining }
            guard stages.isEmpty else {
                throw request.error(
                    .migrationMissingSourceModel, "no stage of the migration begins with the model of the store")
            }
            return []
        }
        return stages.filter { $0.0 > place }.map(\.1)
    }

    /// Returns the custom steps that begin with later versions than the store's, by the order of the names of the versions
    /// beside the model. Returns nil if one of them is not there. The checksums of Apple's that stages without a model have
    /// cannot be compared.
    private func stagesOfLaterVersions(
        _ stages: [NSCustomMigrationStage], _ model: NSManagedObjectModel, _ isOfStore: (NSManagedObjectModel) -> Bool
    ) -> [NSCustomMigrationStage]? {
        let versions = model.versionFolders.flatMap { (try? ModelVersions(at: $0))?.all ?? [] }
            .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
            .compactMap { try? NSManagedObjectModel($0) }
        guard let own = versions.firstIndex(where: isOfStore) else { return nil }
        var later: [NSCustomMigrationStage] = []
        for stage in stages {
            let hashes = stage.currentModel.resolvedModel.entityVersionHashesByName
            guard let place = versions.firstIndex(where: { $0.entityVersionHashesByName == hashes }) else { return nil }
            if place > own { later.append(stage) }
        }
        return later
    }

    private var options: [AnyHashable: Any] {
        var options = request.options ?? [:]
        options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
        options[NSMigratePersistentStoresAutomaticallyOption] = true
        options[NSInferMappingModelAutomaticallyOption] = true
        return options
    }

    /// - Parameter stage: The step that this is the change of.
    private func migrate(to model: NSManagedObjectModel, in stage: NSCustomMigrationStage? = nil) throws {
        var step = request
        step.options = options
        step.unfinishedStage = stage.flatMap(Self.mark)
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
