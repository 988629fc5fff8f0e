import Foundation

extension NSManagedObjectContext {
    /// The state of the stores that the context reads; nil if it reads what they are now.
    public var queryGenerationToken: NSQueryGenerationToken? { queryGeneration }

    /// Makes the context read one state of the stores, whatever others save.
    ///
    /// A save, `reset()` and `mergeChanges(fromContextDidSave:)` make it read the newest state from then on. Only stores in
    /// files with SQLite's write-ahead log show former states; others are read as they are now.
    /// - Parameter generation: The token of another context, `NSQueryGenerationToken.current`, or nil for what the
    ///   stores are at each moment.
    public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        precondition(parent == nil, "a context with a parent reads the state that the parent reads")
        checkQueue()
        queryGeneration = generation
        pinnedSource = nil
        if generation?.generation != nil { _ = try pinned() }
    }

    /// Makes the next read find the newest state of the stores.
    func advanceGeneration() {
        guard queryGeneration != nil else { return }
        queryGeneration = .current
        pinnedSource = nil
    }

    /// The stores in the state that the context is pinned to; nil if it reads what they are now.
    func pinned() throws -> PinnedSource? {
        guard let queryGeneration, let coordinator else { return nil }
        if let pinnedSource { return pinnedSource }
        let generation = try queryGeneration.generation ?? coordinator.makeGeneration()
        self.queryGeneration = NSQueryGenerationToken(generation)
        let source = PinnedSource(coordinator, generation)
        pinnedSource = source
        return source
    }

    /// Returns the rows of a store in the state that the context reads.
    func rows(of store: NSPersistentStore) throws -> any RowStore {
        try pinned()?.generation.rows(of: store) ?? store.rows
    }
}

/// The stores of a coordinator in a former state. The row cache has other states and is not used.
final class PinnedSource: ObjectSource {
    let generation: QueryGeneration
    private let coordinator: NSPersistentStoreCoordinator

    init(_ coordinator: NSPersistentStoreCoordinator, _ generation: QueryGeneration) {
        self.coordinator = coordinator
        self.generation = generation
    }

    func findsWithoutOrder(_ entity: NSEntityDescription) -> Bool { coordinator.findsWithoutOrder(entity) }

    func find(_ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool) throws -> [FoundObject] {
        try coordinator.find(settings, entity, withRows: withRows, in: generation.rows)
    }

    func count(_ settings: FetchSettings, _ entity: NSEntityDescription) throws -> Int {
        try coordinator.count(settings, entity, in: generation.rows)
    }

    func row(of id: NSManagedObjectID, notOlderThan interval: TimeInterval?) throws -> StoredRow? {
        guard let store = id.persistentStore else { return nil }
        return try store.reading { try generation.rows(of: store).rows([id.key])[id.key] } ?? nil
    }

    // The rows are not in the cache, so that nothing can be read in advance.
    func load(_ ids: [NSManagedObjectID]) {}

    func destinations(
        of relationship: NSRelationshipDescription, from id: NSManagedObjectID
    ) throws -> [NSManagedObjectID] {
        try coordinator.destinations(of: relationship, from: id, in: generation.rows)
    }
}
