/// The changes of one object that a child saves to its parent, without references to objects of the child.
struct PushedObject {
    let id: NSManagedObjectID
    let isNew: Bool
    /// The store that the program determined for a new object.
    let store: NSPersistentStore?
    private(set) var values: [(position: Int, value: Value)] = []

    enum Value {
        case attribute(PropertyState)
        case toOne(NSManagedObjectID?)
        /// The destinations in their order, and what has changed.
        case toMany(all: [NSManagedObjectID], added: [NSManagedObjectID], removed: [NSManagedObjectID])
    }

    init(_ object: NSManagedObject) {
        id = object.objectID
        isNew = object.isInserted
        store = object.managedObjectContext?.assignedStores[object]
        let changes = object.changes?.committed ?? [:]
        let positions = isNew ? Array(object.table.properties.indices) : changes.positions
        values = positions.map { position in
            let state = object.state(at: position)
            switch object.table.properties[position].kind {
            case .attribute: return (position, .attribute(state))
            case .toOne: return (position, .toOne(state.destinations.first?.objectID))
            case .toMany:
                let former = isNew ? [] : changes[position]?.destinations ?? []
                let (before, after) = (Set(former), Set(state.destinations))
                return (
                    position,
                    .toMany(
                        all: state.destinations.map(\.objectID), added: after.subtracting(before).map(\.objectID),
                        removed: before.subtracting(after).map(\.objectID))
                )
            }
        }
    }
}
