extension NSManagedObjectContext {
    /// Notes a permanent ID for the children, which know the object by its temporary one.
    func notePermanentID(_ id: NSManagedObjectID, for temporaryID: NSManagedObjectID) {
        let isForChildren = identities.append((temporaryID, id))
        guard isForChildren || parent != nil else {
            // Nobody else knows the temporary IDs.
            permanentIDs = [:]
            return
        }
        permanentIDs[temporaryID] = id
        // Without children only the program may still use them, for objects that it has.
        guard !isForChildren, permanentIDs.count >= 2 * (objects.count + Self.keptIDs) else { return }
        permanentIDs = permanentIDs.filter { objects[$0.value] != nil }
    }

    /// The temporary IDs that a context with a parent may keep besides those of its objects.
    private static let keptIDs = 500

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
