import Foundation

extension NSPersistentStoreCoordinator: ObjectSource {
    /// Returns the ID with a URI; nil if none of the stores can have it.
    public func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // The reference of an object in a store of the program may contain slashes.
        let parts = url.path.split(separator: "/", maxSplits: 1)
        guard url.scheme == "x-coredata", parts.count == 2, parts[1].first == "p", let host = url.host,
            let store = persistentStores.first(where: { $0.identifier.caseInsensitiveCompare(host) == .orderedSame }),
            let entity = entities[String(parts[0])], !entity.isAbstract, store.contains(entity),
            let number = store.number(ofURIText: String(parts[1].dropFirst()), entity)
        else { return nil }
        return NSManagedObjectID(entity: entity, store: store, number: number)
    }

    func id(of key: RowKey, in store: NSPersistentStore) -> NSManagedObjectID? {
        guard let entity = entities[key.entity] else { return nil }
        let isTemporary = key.primaryKey < 0
        return NSManagedObjectID(
            entity: entity, store: isTemporary ? nil : store, number: isTemporary ? -key.primaryKey : key.primaryKey)
    }

    /// Returns the store for new objects of an entity: the first one that can be changed.
    func storeForNew(_ entity: NSEntityDescription) -> NSPersistentStore? {
        persistentStores.first { !$0.isReadOnly && $0.contains(entity) }
    }

    /// Returns the stores that keep an entity, of some or of all stores.
    func stores(of entity: NSEntityDescription, _ affected: [NSPersistentStore]? = nil) -> [NSPersistentStore] {
        persistentStores.filter { store in
            store.contains(entity) && affected?.contains { $0 === store } ?? true
        }
    }

    func findsWithoutOrder(_ entity: NSEntityDescription) -> Bool { stores(of: entity).count > 1 }

    func find(_ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool) throws -> [FoundObject] {
        try find(settings, entity, withRows: withRows) { $0.rows }
    }

    /// Returns what a fetch finds in the rows that `rows` returns for a store.
    func find(
        _ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool,
        in rows: (NSPersistentStore) throws -> any RowStore
    ) throws -> [FoundObject] {
        try find(try FetchPlan(settings, entity, withRows ? .rows : .keys), settings.affectedStores, in: rows)
    }

    /// Returns what a plan finds. Safe from any thread.
    func find(
        _ plan: FetchPlan, _ affectedStores: [NSPersistentStore]?,
        in rows: (NSPersistentStore) throws -> any RowStore = { $0.rows }
    ) throws -> [FoundObject] {
        guard let entity = entities[plan.entity] else { return [] }
        return try CoreDataError.inCocoa {
            try stores(of: entity, affectedStores).flatMap { store -> [FoundObject] in
                // Most rows follow others of their entity.
                var last: NSEntityDescription?
                func found(_ key: RowKey, _ row: StoredRow?) -> FoundObject? {
                    if last?.name != key.entity { last = entities[key.entity] }
                    guard let entity = last else { return nil }
                    let id = NSManagedObjectID(entity: entity, store: store, number: key.primaryKey)
                    return FoundObject(id: id, row: row)
                }
                switch try rows(store).fetch(plan) {
                case .rows(let rows): return rows.compactMap { found($0.key, $0) }
                case .keys(let keys): return keys.compactMap { found($0, nil) }
                case .count, .dictionaries: return []
                }
            }
        }
    }

    func count(_ settings: FetchSettings, _ entity: NSEntityDescription) throws -> Int {
        try count(settings, entity) { $0.rows }
    }

    /// Returns the number of what a fetch finds in the rows that `rows` returns for a store.
    func count(
        _ settings: FetchSettings, _ entity: NSEntityDescription, in rows: (NSPersistentStore) throws -> any RowStore
    ) throws -> Int {
        let plan = try FetchPlan(settings, entity, .count)
        return try CoreDataError.inCocoa {
            try stores(of: entity, settings.affectedStores).reduce(0) { sum, store in
                guard case .count(let count) = try rows(store).fetch(plan) else { return sum }
                return sum + count
            }
        }
    }

    func row(of id: NSManagedObjectID, notOlderThan interval: TimeInterval?) throws -> StoredRow? {
        guard let store = id.persistentStore else { return nil }
        return try store.reading { try store.row(id.key, notOlderThan: interval) } ?? nil
    }

    func load(_ ids: [NSManagedObjectID]) throws {
        let byStore = Dictionary(grouping: ids.filter { !$0.isTemporaryID }) { $0.store.map(ObjectIdentifier.init) }
        for ids in byStore.values {
            guard let store = ids.first?.persistentStore else { continue }
            _ = try store.reading { try store.load(ids.map(\.key)) }
        }
    }

    func destinations(
        of relationship: NSRelationshipDescription, from id: NSManagedObjectID
    ) throws -> [NSManagedObjectID] {
        try destinations(of: relationship, from: id) { $0.rows }
    }

    /// Returns the destinations in the rows that `rows` returns for a store.
    func destinations(
        of relationship: NSRelationshipDescription, from id: NSManagedObjectID,
        in rows: (NSPersistentStore) throws -> any RowStore
    ) throws -> [NSManagedObjectID] {
        guard let store = id.persistentStore else { return [] }
        let keys = try store.reading { try rows(store).destinations(of: relationship.name, from: id.key) } ?? []
        return keys.compactMap { self.id(of: $0, in: store) }
    }
}
