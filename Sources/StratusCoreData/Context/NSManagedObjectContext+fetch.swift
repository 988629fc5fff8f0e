import Foundation
import StratusCompatibility

extension NSManagedObjectContext {
    /// Returns what a request finds, in the form that its type of results says.
    public func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        let settings = request.settings
        return try fetchResults(settings).map { result in
            guard let result = result as? T else {
                preconditionFailure(
                    "a fetch of '\(settings.entityName ?? "")' found a \(type(of: result)), not a \(T.self)")
            }
            return result
        }
    }

    /// Returns the number of objects that a request finds.
    public func count<T>(for request: NSFetchRequest<T>) throws -> Int { try count(request.settings) }

    func fetchResults(_ settings: FetchSettings) throws -> [Any] {
        switch settings.resultType {
        case .managedObjectResultType: return try find(settings)
        case .managedObjectIDResultType:
            var settings = settings
            settings.includesPropertyValues = false
            settings.prefetchedKeyPaths = nil
            return try find(settings).map(\.objectID)
        case .countResultType: return [NSNumber(value: try count(settings))]
        case .dictionaryResultType: return try dictionaries(settings)
        default:
            throw CocoaError.make(
                .coreData, "a fetch has one type of results, not \(settings.resultType.rawValue)")
        }
    }

    /// Returns the entity of a fetch.
    func entity(of settings: FetchSettings) throws -> NSEntityDescription {
        guard let coordinator else { throw CocoaError.make(.coreData, "the context has no coordinator") }
        guard let entity = settings.subject.entity(in: coordinator.managedObjectModel) else {
            throw CocoaError.make(.coreData, "the model has no entity '\(settings.entityName ?? "")'")
        }
        return entity
    }

    func count(_ settings: FetchSettings) throws -> Int {
        let entity = try entity(of: settings)
        guard let source = try source else { return 0 }
        if needsMerge(settings, entity) {
            var settings = settings
            settings.includesPropertyValues = false
            return try find(settings).count
        }
        return try source.count(settings, entity)
    }

    /// Returns the objects of a fetch.
    func find(_ settings: FetchSettings) throws -> [NSManagedObject] {
        checkQueue()
        let entity = try entity(of: settings)
        guard let source = try source else { return [] }
        var settings = settings
        // The parent knows the objects of its own only.
        if parent != nil { settings.replacePredicateObjects() }
        let withRows =
            settings.includesPropertyValues && settings.batchSize == 0 || settings.refreshesRefetchedObjects
        var found: [NSManagedObject]
        if needsMerge(settings, entity) {
            let pending = pendingObjects(settings, entity)
            var wide = settings
            if settings.limit > 0 {
                let (limit, overflow) = settings.limit.addingReportingOverflow(settings.offset + pending.count)
                wide.limit = overflow ? 0 : limit
            }
            wide.offset = 0
            found = adopt(try source.find(wide, entity, withRows: withRows), settings)
            found = try merge(found, pending, settings, isSorted: !source.findsWithoutOrder(entity))
        } else {
            found = adopt(try source.find(settings, entity, withRows: withRows), settings)
        }
        return try complete(found, settings)
    }

    /// Makes objects of what the stores found for a fetch whose results they determine alone.
    func objects(_ found: [FoundObject], _ settings: FetchSettings) throws -> [NSManagedObject] {
        try complete(adopt(found, settings), settings)
    }

    private func complete(_ found: [NSManagedObject], _ settings: FetchSettings) throws -> [NSManagedObject] {
        if settings.batchSize > 0 { Self.makeBatches(of: found, settings.batchSize) }
        for keyPath in settings.prefetchedKeyPaths ?? [] { try prefetch(keyPath, of: found) }
        return found
    }

    /// Whether what the stores find is not yet what the context finds.
    func needsMerge(_ settings: FetchSettings, _ entity: NSEntityDescription) -> Bool {
        if settings.includesPendingChanges { endEvent() }
        let isUnordered = parent == nil && coordinator?.findsWithoutOrder(entity) == true
        return isUnordered || !pendingObjects(settings, entity).isEmpty
    }

    private func pendingObjects(_ settings: FetchSettings, _ entity: NSEntityDescription) -> Set<NSManagedObject> {
        guard settings.includesPendingChanges else { return [] }
        return inserted.union(updated).union(deleted).filter { object in
            guard settings.concerns(object.entity, entity) else { return false }
            return settings.affectedStores?.contains { $0 === store(of: object) } ?? true
        }
    }

    /// Makes objects of what was found.
    private func adopt(_ found: [FoundObject], _ settings: FetchSettings) -> [NSManagedObject] {
        let objects = found.map { object(with: $0.id) }
        // Rows of a parent have changes that are not saved, and those of a former state are not for other contexts.
        let isPinned = parent == nil && queryGeneration != nil
        if parent == nil, !isPinned {
            for store in coordinator?.persistentStores ?? [] {
                store.cache.put(found.lazy.filter { $0.id.store === store }.compactMap(\.row))
            }
        }
        for (object, row) in zip(objects, found.map(\.row)) {
            if settings.refreshesRefetchedObjects, !object.isFault, let row, object.row?.version != row.version {
                object.rebase(on: row)
                event.refreshed.insert(object)
            }
            if isPinned || !settings.returnsObjectsAsFaults, object.isFault, let row { object.realize(row) }
        }
        return objects
    }

    /// Puts changed objects among those that the stores found, by the values that they have now.
    private func merge(
        _ found: [NSManagedObject], _ pending: Set<NSManagedObject>, _ settings: FetchSettings, isSorted: Bool
    ) throws -> [NSManagedObject] {
        let predicate = settings.predicate(in: self)
        let matching = pending.filter { !$0.isDeleted && predicate?.evaluate(with: $0) ?? true }
            .sorted { $0.objectID.number < $1.objectID.number }
        let sorting = ObjectOrder(settings.sortDescriptors ?? [])
        let merged = sorting.replace(pending, in: isSorted ? found : sorting.sorted(found), by: matching)
        let rest = merged.dropFirst(settings.offset)
        return Array(settings.limit > 0 ? rest.prefix(settings.limit) : rest)
    }

    private static func makeBatches(of objects: [NSManagedObject], _ size: Int) {
        for start in stride(from: 0, to: objects.count, by: size) {
            let faults = objects[start..<min(start + size, objects.count)].filter(\.isFault)
            let batch = FaultBatch(faults.map(\.objectID))
            for fault in faults { fault.batch = batch }
        }
    }

    /// Reads the destinations of relationships, one key after the other.
    private func prefetch(_ keyPath: String, of objects: [NSManagedObject]) throws {
        var owners = objects
        for key in keyPath.split(separator: ".") {
            try source?.load(owners.filter(\.isFault).map(\.objectID))
            var destinations: Set<NSManagedObject> = []
            for owner in owners {
                guard let position = owner.table.position(of: String(key)) else {
                    throw CocoaError.make(.coreData, "'\(key)' of '\(keyPath)' is not a relationship")
                }
                destinations.formUnion(owner.state(at: position).destinations)
            }
            owners = Array(destinations)
        }
        try source?.load(owners.filter(\.isFault).map(\.objectID))
    }
}
