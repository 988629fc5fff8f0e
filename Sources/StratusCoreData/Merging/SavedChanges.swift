import Foundation

/// The IDs of the objects that a save has written.
struct SavedChanges: Sendable {
    var inserted: Set<NSManagedObjectID> = []
    var updated: Set<NSManagedObjectID> = []
    var deleted: Set<NSManagedObjectID> = []

    init(
        inserted: Set<NSManagedObjectID> = [], updated: Set<NSManagedObjectID> = [],
        deleted: Set<NSManagedObjectID> = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }

    /// Takes the content of a notification of a save, or what a program made of one: objects, IDs or URIs.
    init(_ userInfo: [AnyHashable: Any], _ coordinator: NSPersistentStoreCoordinator?) {
        func ids(_ keys: NSManagedObjectContext.NotificationKey...) -> Set<NSManagedObjectID> {
            Set(keys.flatMap { Self.ids(in: userInfo[$0.rawValue], coordinator) })
        }
        inserted = ids(.insertedObjects, .insertedObjectIDs)
        updated = ids(.updatedObjects, .updatedObjectIDs, .refreshedObjects, .refreshedObjectIDs)
        deleted = ids(.deletedObjects, .deletedObjectIDs)
    }

    private static func ids(in value: Any?, _ coordinator: NSPersistentStoreCoordinator?) -> [NSManagedObjectID] {
        let members: [Any]
        switch value {
        case let set as Set<AnyHashable>: members = set.map(\.base)
        case let set as NSSet: members = set.allObjects
        case let array as [Any]: members = array
        default: members = []
        }
        return members.compactMap { member in
            switch member {
            case let object as NSManagedObject: own(object.objectID, coordinator)
            case let id as NSManagedObjectID: own(id, coordinator)
            case let uri as URL: coordinator?.managedObjectID(forURIRepresentation: uri)
            default: nil
            }
        }
    }

    /// Returns the ID of an object in the stores of a coordinator. Another coordinator may have saved it to the same file.
    private static func own(
        _ id: NSManagedObjectID, _ coordinator: NSPersistentStoreCoordinator?
    ) -> NSManagedObjectID? {
        guard let coordinator, let other = id.persistentStore?.persistentStoreCoordinator, other !== coordinator else {
            return id
        }
        return coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
    }

    /// The sets that are not empty, by their keys in notifications.
    var userInfo: [AnyHashable: Any] {
        let sets: [(NSManagedObjectContext.NotificationKey, Set<NSManagedObjectID>)] = [
            (.insertedObjectIDs, inserted), (.updatedObjectIDs, updated), (.deletedObjectIDs, deleted),
        ]
        let present = sets.filter { !$1.isEmpty }.map { (AnyHashable($0.rawValue), $1 as Any) }
        return Dictionary(uniqueKeysWithValues: present)
    }
}
