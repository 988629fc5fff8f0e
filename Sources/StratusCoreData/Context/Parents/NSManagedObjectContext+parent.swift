import Foundation

extension NSManagedObjectContext {
    /// Saves the changes to the parent, whose own save writes them to the stores.
    func save(to parent: NSManagedObjectContext) throws -> SavedObjects {
        let saved = SavedObjects(inserted: insertedObjects, updated: updated, deleted: deletedObjects)
        let pushed = saved.inserted.union(saved.updated).map(PushedObject.init)
            .sorted { ($0.isNew ? 0 : 1, $0.id.number) < ($1.isNew ? 0 : 1, $1.id.number) }
        let deletedIDs = saved.deleted.map(\.objectID)
        let rows = try saved.inserted.union(saved.updated).map { object in
            (object, try RowEncoder(storeOf: store(of:), keyOf: { $0.objectID.key }).row(of: object))
        }
        parent.performAndWait { parent.take(pushed, deleting: deletedIDs) }
        for (object, row) in rows { object.takeSavedRow(row) }
        endChanges(of: saved)
        return saved
    }

    /// Applies what a child saves.
    private func take(_ pushed: [PushedObject], deleting ids: [NSManagedObjectID]) {
        for object in pushed where object.isNew { insertObject(with: object.id, in: object.store) }
        for object in pushed { self.object(with: currentID(of: object.id)).take(object, in: self) }
        for id in ids { delete(object(with: currentID(of: id))) }
        endEvent()
    }

    /// Inserts a new object that has its ID from a child.
    private func insertObject(with id: NSManagedObjectID, in store: NSPersistentStore?) {
        let object = object(with: id)
        // The child has undone a deletion that is not saved here yet.
        if object.isDeleted { return restore(object) }
        object.states = object.table.emptyStates
        object.isFault = false
        object.isInserted = true
        assignedStores[object] = store
        inserted.insert(object)
        event.inserted.insert(object)
    }
}

extension NSManagedObject {
    /// Applies the changes of an object of a child. The objects at the other ends of its relationships are among the
    /// changes, too.
    fileprivate func take(_ pushed: PushedObject, in context: NSManagedObjectContext) {
        func object(_ id: NSManagedObjectID) -> NSManagedObject { context.object(with: context.currentID(of: id)) }
        for (position, value) in pushed.values {
            let former = state(at: position)
            recordChange(at: position, from: former)
            switch value {
            case .attribute(let state): setState(state, at: position)
            case .toOne(let id): setState(id.map { .object(object($0)) } ?? .null, at: position)
            case .toMany(let all, let added, let removed):
                guard case .objects(var members) = former else { continue }
                for id in removed { members.remove(object(id)) }
                for id in added { members.insert(object(id)) }
                if members.isOrdered { members.arrange(all.map(object)) }
                setState(.objects(members), at: position)
            }
        }
    }
}
