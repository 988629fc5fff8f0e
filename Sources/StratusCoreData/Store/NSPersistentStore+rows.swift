import Foundation

extension NSPersistentStore {
    /// Returns a row from the cache, or from the store if the cache has none that was read within an interval. Returns
    /// nil if the row does not exist.
    func row(_ key: RowKey, notOlderThan interval: TimeInterval? = nil) throws -> StoredRow? {
        if let known = cache.row(key, notOlderThan: interval) { return known }
        let found = try rows.row(key)
        if let found { cache.put([found]) } else { cache.forget([key]) }
        return found
    }

    /// Reads the rows that the cache does not have.
    func load(_ keys: [RowKey]) throws {
        let missing = keys.filter { cache.row($0) == nil }
        guard !missing.isEmpty else { return }
        cache.put(try rows.rows(missing).values)
    }

    /// Runs a block that reads the store; nil if the store is removed from its coordinator meanwhile.
    func reading<Value>(_ body: () throws -> Value) throws -> Value? {
        do {
            return try CoreDataError.inCocoa(body)
        } catch  where persistentStoreCoordinator == nil {
            return nil
        }
    }

    /// Whether the store keeps objects of an entity.
    func contains(_ entity: NSEntityDescription) -> Bool { rows.layout.entities[entity.name ?? ""] != nil }
}
