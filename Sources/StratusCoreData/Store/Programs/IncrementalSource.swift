import Foundation

/// The stores of a coordinator for one context. Incremental stores receive the context with each request.
final class IncrementalSource: ObjectSource {
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init(_ coordinator: NSPersistentStoreCoordinator, _ context: NSManagedObjectContext) {
        self.coordinator = coordinator
        self.context = context
    }

    func findsWithoutOrder(_ entity: NSEntityDescription) -> Bool { coordinator.findsWithoutOrder(entity) }

    func find(_ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool) throws -> [FoundObject] {
        try split(settings, entity).flatMap { store, settings in
            guard let store = store as? NSIncrementalStore else {
                return try coordinator.find(settings, entity, withRows: withRows)
            }
            return try store.results(.managedObjectResultType, settings, entity, context).compactMap { result in
                let id = (result as? NSManagedObject)?.objectID ?? result as? NSManagedObjectID
                return id.map { FoundObject(id: $0, row: nil) }
            }
        }
    }

    func count(_ settings: FetchSettings, _ entity: NSEntityDescription) throws -> Int {
        try split(settings, entity).reduce(0) { sum, found in
            guard let store = found.store as? NSIncrementalStore else {
                return sum + (try coordinator.count(found.settings, entity))
            }
            let results = try store.results(.countResultType, found.settings, entity, context)
            return sum + ((results.first as? NSNumber)?.intValue ?? 0)
        }
    }

    /// Returns the stores of a fetch, each with the fetch from it alone.
    private func split(
        _ settings: FetchSettings, _ entity: NSEntityDescription
    ) -> [(store: NSPersistentStore, settings: FetchSettings)] {
        coordinator.stores(of: entity, settings.affectedStores).map { store in
            var own = settings
            own.affectedStores = [store]
            return (store, own)
        }
    }

    func row(of id: NSManagedObjectID, notOlderThan interval: TimeInterval?) throws -> StoredRow? {
        guard let store = id.persistentStore as? NSIncrementalStore else {
            return try coordinator.row(of: id, notOlderThan: interval)
        }
        if let known = store.cache.row(id.key, notOlderThan: interval) { return known }
        guard let row = try store.row(of: id, context) else {
            store.cache.forget([id.key])
            return nil
        }
        store.cache.put([row])
        return row
    }

    func load(_ ids: [NSManagedObjectID]) throws {
        try coordinator.load(ids.filter { !($0.store is NSIncrementalStore) })
        for id in ids where id.store is NSIncrementalStore { _ = try row(of: id, notOlderThan: nil) }
    }

    func destinations(
        of relationship: NSRelationshipDescription, from id: NSManagedObjectID
    ) throws -> [NSManagedObjectID] {
        guard let store = id.persistentStore as? NSIncrementalStore else {
            return try coordinator.destinations(of: relationship, from: id)
        }
        return ValueRows.ids(try store.newValue(forRelationship: relationship, forObjectWith: id, with: context))
    }
}

extension NSIncrementalStore {
    /// Returns the answer to a fetch.
    func results(
        _ type: NSFetchRequestResultType, _ settings: FetchSettings, _ entity: NSEntityDescription,
        _ context: NSManagedObjectContext
    ) throws -> [Any] {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.settings = settings
        request.entity = entity
        request.resultType = type
        request.affectedStores = [self]
        let result = try execute(request, with: context)
        return (result as? NSArray).map { Array($0) } ?? result as? [Any] ?? [result]
    }

    /// Returns the row of an object with the values that the class has for it; nil if the object does not exist.
    fileprivate func row(of id: NSManagedObjectID, _ context: NSManagedObjectContext) throws -> StoredRow? {
        let table = context.table(of: id.entity)
        guard let mapping = table.mapping(for: self) else { return nil }
        let node: NSIncrementalStoreNode
        do {
            node = try newValuesForObject(with: id, with: context)
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain
            && error.code == CocoaError.Code.managedObjectReferentialIntegrity.rawValue
        {
            return nil
        }
        let version = Int64(clamping: node.version)
        return try ValueRows(table: table, mapping: mapping).row(id.key, version: version) { property in
            if let value = node.value(for: property) { return value }
            guard let relationship = property as? NSRelationshipDescription else { return nil }
            return try newValue(forRelationship: relationship, forObjectWith: id, with: context)
        }
    }
}
