/// The changes of one event of a context, with what undoes them.
struct UndoStep {
    struct Deletion {
        let object: NSManagedObject
        /// The states of all properties before the event.
        let states: [PropertyState]
    }

    struct Change {
        let object: NSManagedObject
        let position: Int
        let before: PropertyState
        let after: PropertyState
    }

    let inserted: [NSManagedObject]
    let deleted: [Deletion]
    let changed: [Change]

    /// Notes the changes of an event before its objects forget their former states. The step is nil if nothing
    /// has changed.
    init?(_ event: ContextEvent) {
        func sorted(_ objects: Set<NSManagedObject>) -> [NSManagedObject] {
            objects.sorted { $0.objectID.number < $1.objectID.number }
        }
        inserted = sorted(event.inserted.subtracting(event.deleted))
        deleted = sorted(event.deleted.subtracting(event.inserted)).map { object in
            let former = object.changes?.beforeEvent ?? [:]
            return Deletion(
                object: object,
                states: object.table.properties.indices.map { former[$0] ?? object.state(at: $0) })
        }
        changed = sorted(event.changed.subtracting(event.inserted).subtracting(event.deleted)).flatMap { object in
            (object.changes?.beforeEvent ?? [:]).sorted { $0.position < $1.position }.map { position, before in
                Change(object: object, position: position, before: before, after: object.state(at: position))
            }.filter { !$0.before.isSame(as: $0.after) }
        }
        if inserted.isEmpty, deleted.isEmpty, changed.isEmpty { return nil }
    }
}
