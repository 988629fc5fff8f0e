import Foundation

/// Finds stores for new objects that the program has not assigned to one: that of an object that they are related to. Only
/// there can their relationships be saved.
struct RelatedStores {
    private let context: NSManagedObjectContext
    private var found: [NSManagedObject: NSPersistentStore?] = [:]
    /// Whether there is more than one store.
    private let isNeeded: Bool

    init(_ context: NSManagedObjectContext) {
        self.context = context
        isNeeded = (context.coordinator?.persistentStores.count ?? 0) > 1
    }

    /// Returns the store of the objects that a new one is related to, directly or by other new ones; nil if they have none
    /// or the store does not keep the entity.
    mutating func store(of object: NSManagedObject) -> NSPersistentStore? {
        guard isNeeded else { return nil }
        if found[object] == nil { collect(object) }
        guard let store = found[object] ?? nil, store.contains(object.entity), !store.isReadOnly else { return nil }
        return store
    }

    /// Finds the store of all new objects that are related to each other.
    private mutating func collect(_ object: NSManagedObject) {
        var members: Set<NSManagedObject> = []
        var store: NSPersistentStore?
        var waiting = [object]
        while let next = waiting.popLast() {
            if let own = next.objectID.store ?? context.assignedStores[next] {
                store = store ?? own
            } else if members.insert(next).inserted {
                waiting += next.destinationsOfNew
            }
        }
        for member in members { found[member] = .some(store) }
    }
}

extension NSManagedObject {
    /// The destinations of all relationships of an object that no store has yet.
    fileprivate var destinationsOfNew: [NSManagedObject] {
        table.properties.enumerated().flatMap { position, property in
            property.relationship == nil ? [] : state(at: position).destinations
        }
    }
}
