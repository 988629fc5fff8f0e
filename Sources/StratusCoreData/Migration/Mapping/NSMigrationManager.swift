import Foundation

// Used by one thread at a time, which runs the migration.
/// Migrates a store to another version of its model, object by object, by a mapping model.
///
/// All objects are in memory until the end. An inferred mapping between SQLite files needs no objects, unless
/// ``usesStoreSpecificMigrationManager`` is off.
open class NSMigrationManager: NSObject {
    /// The model of the source. Its objects have none of the program's classes.
    public let sourceModel: NSManagedObjectModel

    /// The model of the destination. Its objects have none of the program's classes.
    public let destinationModel: NSManagedObjectModel

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The mappings of the migration that runs. Apple declares it so, and code relies on it.
    public private(set) var mappingModel: NSMappingModel!

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The context with the objects of the source, while a migration runs. Apple declares it so, and code relies on it.
    public private(set) var sourceContext: NSManagedObjectContext!

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The context with the objects of the destination, while a migration runs. Apple declares it so, and code relies on
    /// it.
    public private(set) var destinationContext: NSManagedObjectContext!

    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The mapping whose objects are migrated now. Apple declares it so, and code relies on it.
    public internal(set) var currentEntityMapping: NSEntityMapping!

    /// The part of the migration that is done, from 0 to 1.
    public internal(set) var migrationProgress: Float = 0

    /// Whether an inferred mapping between SQLite files is done in the database.
    open var usesStoreSpecificMigrationManager = true

    /// Values of the program for its policies.
    open var userInfo: [AnyHashable: Any]?

    var associations = MigrationAssociations()
    var failure: (any Error)?
    var currentPolicy: NSEntityMigrationPolicy?

    /// Makes a manager for two versions of a model.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel.withPlainObjects
        self.destinationModel = destinationModel.withPlainObjects
        super.init()
    }

    /// Migrates a store to a new file.
    /// - Throws: A Cocoa error. What there is of the new store is removed then.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw CocoaError.make(.migrationMissingMappingModel, "a migration needs a mapping model")
        }
        try migrate(
            StoreRequest(type: sStoreType, url: sourceURL, options: sOptions),
            to: StoreRequest(type: dStoreType, url: dURL, options: dOptions), by: mappings)
    }

    /// Migrates a store to a new file. The entities of the new store are those of the configuration of its request; without
    /// one, those of the configuration that the former store has.
    func migrate(_ source: StoreRequest, to destination: StoreRequest, by mappings: NSMappingModel) throws {
        reset()
        mappingModel = mappings
        let existed = destination.url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        do {
            if mappings.inference != nil, usesStoreSpecificMigrationManager, source.type == NSSQLiteStoreType,
                destination.type == NSSQLiteStoreType, type(of: self) == NSMigrationManager.self
            {
                try migrateInDatabase(source, destination)
            } else {
                try migrateObjects(source, destination)
            }
            migrationProgress = 1
        } catch {
            // What remains of a store that cannot be deleted is no store of the program's.
            if !existed, let url = destination.url { try? StoreFiles.destroy(at: url.path) }
            throw error
        }
    }

    /// Migrates a store to a new file.
    public func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil,
        mapping: NSMappingModel, to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }

    /// Forgets the objects of a migration, so that the manager can be used again.
    open func reset() {
        associations = MigrationAssociations()
        failure = nil
        migrationProgress = 0
        currentEntityMapping = nil
        currentPolicy = nil
    }

    /// Ends the migration with an error, after the step that runs.
    open func cancelMigrationWithError(_ error: any Error) { failure = failure ?? error }

    /// Returns the entity of the source that a mapping is of.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// Returns the entity of the destination that a mapping is of.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Records that an object of the destination was made for one of the source.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations.add(sourceInstance, destinationInstance, entityMapping.name)
    }

    /// Returns the objects that a mapping made for objects of the source; for all of them if they are nil.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.destinations(mappingName, of: sourceInstances)
    }

    /// Returns the objects for which a mapping made objects of the destination; all of them if they are nil.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        associations.sources(mappingName, of: destinationInstances)
    }

    private func migrateInDatabase(_ source: StoreRequest, _ destination: StoreRequest) throws {
        guard let from = source.url, let to = destination.url else {
            throw source.error(.persistentStoreOpen, "a store in a file needs its URL")
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: destinationModel)
        try coordinator.replacePersistentStore(
            at: to, destinationOptions: destination.options, withPersistentStoreFrom: from,
            sourceOptions: source.options, ofType: NSSQLiteStoreType)
        var migrating = destination
        migrating.options = (destination.options ?? [:]).merging([
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ]) { $1 }
        migrating.formerModel = sourceModel
        try migrating.open(destinationModel).rows.close()
    }

    private func migrateObjects(_ source: StoreRequest, _ destination: StoreRequest) throws {
        let configuration = try configuration(of: source)
        let from = NSPersistentStoreCoordinator(managedObjectModel: sourceModel)
        let to = NSPersistentStoreCoordinator(managedObjectModel: destinationModel)
        defer {
            for coordinator in [from, to] { coordinator.closeAll() }
            sourceContext = nil
            destinationContext = nil
        }
        var reading = source
        reading.options = (source.options ?? [:]).merging([NSReadOnlyPersistentStoreOption: true]) { $1 }
        try from.addPersistentStore(
            ofType: source.type, configurationName: configuration, at: source.url, options: reading.options)
        let made = try to.addPersistentStore(
            ofType: destination.type,
            configurationName: destination.configuration
                ?? configuration.flatMap { destinationModel.configurations.contains($0) ? $0 : nil },
            at: destination.url, options: destination.options)
        if let metadata = from.persistentStores.first?.metadata { try made.rows.setMetadata(metadata) }
        // Objects of both contexts are used together, on one queue.
        let queue = ContextQueue(.privateQueueConcurrencyType)
        sourceContext = NSManagedObjectContext(queue: queue)
        sourceContext.persistentStoreCoordinator = from
        destinationContext = NSManagedObjectContext(queue: queue)
        destinationContext.persistentStoreCoordinator = to
        try queue.sync { try MigrationRun(self).run() }
    }
}
