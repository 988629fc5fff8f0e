extension NSManagedObjectContext {
    /// Notes a permanent ID for the children, which know the object by its temporary one.
    func notePermanentID(_ id: NSManagedObjectID, for temporaryID: NSManagedObjectID) {
        guard identities.append((temporaryID, id)) || parent != nil else {
            // Nobody else knows the temporary IDs.
            permanentIDs = [:]
            return
        }
        permanentIDs[temporaryID] = id
    }

    /// Gives objects the permanent IDs that they have got in the parent.
    func takeOverIDs() {
        guard let parent else { return }
        for (temporaryID, id) in parent.identities.take(for: self) {
            if let object = objects[temporaryID] {
                changeID(of: object, to: id)
            } else {
                notePermanentID(id, for: temporaryID)
            }
        }
    }

    /// Returns the ID that an object has now. Others may still know the object by its temporary ID.
    func currentID(of id: NSManagedObjectID) -> NSManagedObjectID {
        takeOverIDs()
        return permanentIDs[id] ?? id
    }
}
