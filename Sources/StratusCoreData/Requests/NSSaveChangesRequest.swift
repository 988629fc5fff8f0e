import Foundation

/// A request that an ``NSIncrementalStore`` receives to save the changes of a context.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects, which have permanent IDs.
    public let insertedObjects: Set<NSManagedObject>?

    /// The objects with changed values.
    public let updatedObjects: Set<NSManagedObject>?

    /// The objects to delete.
    public let deletedObjects: Set<NSManagedObject>?

    /// The objects that the context wants to be unchanged in the store since they were read.
    public let lockedObjects: Set<NSManagedObject>?

    /// Makes a request for the changes of objects.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
        super.init()
    }

    /// A request to save.
    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    /// Returns a request for the same objects.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSSaveChangesRequest(
            inserted: insertedObjects, updated: updatedObjects, deleted: deletedObjects, locked: lockedObjects)
        copy.affectedStores = affectedStores
        return copy
    }
}
