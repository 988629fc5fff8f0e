import Foundation

extension NSManagedObjectContext {
    /// Makes an object what its row says, without changes.
    func revert(_ object: NSManagedObject, to row: StoredRow) {
        deleted.remove(object)
        updated.remove(object)
        object.restoreCommittedStates()
        object.rebase(on: row)
        if object.isDeleted {
            object.isDeleted = false
            object.relink()
        }
        event.refreshed.insert(object)
        scheduleProcessing()
    }

    /// Makes the next save insert an object whose row no longer exists, with the same ID.
    func insertAgain(_ object: NSManagedObject) {
        object.keepAllStates()
        object.row = nil
        object.isInserted = true
        updated.remove(object)
        inserted.insert(object)
    }

    /// Removes an object that is not in the store from the context and from the relationships of others.
    func discard(_ object: NSManagedObject) {
        if !object.isDeleted {
            for (position, property) in object.table.properties.enumerated() {
                guard let inverse = property.relationship?.inverseRelationship else { continue }
                for destination in object.state(at: position).destinations where !destination.isDeleted {
                    destination.unlink(object, from: inverse.name)
                }
            }
        }
        object.isDeleted = true
        event.inserted.remove(object)
        event.changed.remove(object)
        event.deleted.remove(object)
        forget(object)
    }
}

extension NSManagedObject {
    /// Makes the states of all properties the object's own.
    func keepAllStates() {
        for position in table.properties.indices { keepState(at: position) }
    }

    /// Makes destinations lead back again, after a deletion was taken back.
    func relink() {
        for (position, property) in table.properties.enumerated() {
            guard let inverse = property.relationship?.inverseRelationship else { continue }
            for object in state(at: position).destinations where !object.isDeleted {
                object.link(self, by: inverse.name)
            }
        }
    }
}
