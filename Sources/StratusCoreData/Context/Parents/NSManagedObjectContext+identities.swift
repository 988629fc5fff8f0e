extension NSManagedObjectContext {
    /// Notes a permanent ID for the children, which know the object by its temporary one.
    func notePermanentID(_ id: NSManagedObjectID, for temporaryID: NSManagedObjectID) {
        guard hasChildren || parent != nil else { return }
        permanentIDs[temporaryID] = id
        identities.withLock { $0.append((temporaryID, id)) }
    }

    /// Gives objects the permanent IDs that they have got in the parent.
    func takeOverIDs() {
        guard let parent else { return }
        let known = identitiesOfParent
        let new = parent.identities.withLock { $0.count > known ? Array($0[known...]) : [] }
        identitiesOfParent += new.count
        for (temporaryID, id) in new {
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
