import Foundation

/// The arguments for opening a store.
struct StoreRequest {
    var type: String
    var configuration: String?
    var url: URL?
    var options: [AnyHashable: Any]?
    /// The model that the store has before a migration; nil if it is to be found.
    var formerModel: NSManagedObjectModel?
    /// What a migration writes as the mark of a stage whose second handler follows; nil for other migrations.
    var unfinishedStage: String?

    var isReadOnly: Bool { flag(NSReadOnlyPersistentStoreOption) }

    func flag(_ option: String) -> Bool { (options?[option] as? NSNumber)?.boolValue ?? false }

    /// Opens the store with the entities of the configuration.
    func open(_ model: NSManagedObjectModel) throws -> NSPersistentStore {
        let entities = try entities(of: model)
        do {
            return try NSPersistentStore(rows: try openRows(entities, of: model), request: self)
        } catch let failure as StoreFailure {
            throw error(CocoaError.Code(rawValue: failure.cocoaCode), failure.description, failure.userInfo)
        }
    }

    /// Returns the entities of the configuration.
    func entities(of model: NSManagedObjectModel) throws -> [NSEntityDescription] {
        guard let entities = model.entities(forConfigurationName: configuration) else {
            throw error(.persistentStoreIncompatibleSchema, "the model has no configuration '\(configuration ?? "")'")
        }
        return entities
    }

    private func openRows(_ entities: [NSEntityDescription], of model: NSManagedObjectModel) throws -> any RowStore {
        let path = try path()
        let migrates = flag(NSMigratePersistentStoresAutomaticallyOption) && !isReadOnly
        let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] as? NSStagedMigrationManager
        let stages = manager.map { StagedMigration(request: self, manager: $0, path: path) }
        do {
            let rows = try rows(path, entities)
            guard migrates, let stages, try rows.metadata()[MetadataKey.unfinishedStage] != nil else { return rows }
            rows.close()
            try stages.finishInterruptedStage()
        } catch let failure as StoreFailure where failure.kind == .otherModel {
            guard migrates else { throw failure }
            if let stages {
                try stages.run(to: model)
            } else {
                try StoreMigration(request: self, path: path, entities: entities, model: model).run()
            }
        }
        return try rows(path, entities)
    }

    private func rows(_ path: String, _ entities: [NSEntityDescription]) throws -> any RowStore {
        type == NSBinaryStoreType && path != ":memory:"
            ? try BinaryRowStore(path: path, entities: entities, options: rowOptions)
            : try SQLiteRowStore(path: path, entities: entities, options: rowOptions)
    }

    func error(_ code: CocoaError.Code, _ reason: String, _ more: [String: Any] = [:]) -> NSError {
        var info = more
        info[NSLocalizedDescriptionKey] = reason
        if let url { info[NSFilePathErrorKey] = url.path }
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: info)
    }

    /// The file of the store; nil for a store in memory. Programs that want a store in memory with all that SQLite can
    /// do give the path of the null device, as with Apple.
    var file: URL? { type == NSInMemoryStoreType || url?.path == "/dev/null" ? nil : url }

    private func path() throws -> String {
        switch type {
        case NSInMemoryStoreType: return ":memory:"
        case NSSQLiteStoreType, NSBinaryStoreType:
            guard let url, url.isFileURL else { throw error(.persistentStoreOpen, "a store in a file needs its URL") }
            guard let file else { return ":memory:" }
            return file.path
        default: throw error(.persistentStoreInvalidType, "there are no stores of the type '\(type)'")
        }
    }

    var rowOptions: SQLiteRowStore.Options {
        var result = SQLiteRowStore.Options()
        result.isReadOnly = isReadOnly
        result.analyzes = flag(NSSQLiteAnalyzeOption)
        result.vacuums = flag(NSSQLiteManualVacuumOption)
        result.recordsHistory = flag(NSPersistentHistoryTrackingKey)
        if let seconds = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue, seconds >= 0 {
            result.timeout = .seconds(min(seconds, Double(Int32.max)))
        }
        let pragmas = options?[NSSQLitePragmasOption] as? [String: Any] ?? [:]
        result.pragmas = pragmas.mapValues { "\($0)" }
        return result
    }
}

extension CocoaError.Code {
    /// There are no stores of a type.
    public static let persistentStoreInvalidType = CocoaError.Code(rawValue: 134_000)
    /// A store does not fit the model of the coordinator.
    public static let persistentStoreIncompatibleSchema = CocoaError.Code(rawValue: 134_020)
    /// A store cannot be opened.
    public static let persistentStoreOpen = CocoaError.Code(rawValue: 134_080)
    /// The version hashes of a store are not those of the model.
    public static let persistentStoreIncompatibleVersionHash = CocoaError.Code(rawValue: 134_100)
}
