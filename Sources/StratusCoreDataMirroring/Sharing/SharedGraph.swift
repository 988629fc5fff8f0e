import Foundation
import StratusCoreData

/// Finds the objects that are shared together. Used on the queue of the context.
struct SharedGraph {
    private let session: MirrorSession
    /// The zone where the objects are to move; nil for a new one.
    private let zone: ZoneRow?

    init(_ session: MirrorSession, _ zone: ZoneRow?) {
        self.session = session
        self.zone = zone
    }

    /// Returns the objects that can be reached by relationships and are not shared.
    /// - Throws: An error if one of the first objects is in another share.
    func keys(of objectIDs: [NSManagedObjectID], _ context: NSManagedObjectContext) throws -> [StoredObjectKey] {
        var waiting = try objectIDs.map { objectID in
            guard let key = objectID.storedKey, let object = try context.object(at: key, in: session.store) else {
                throw MirroringError.sharing("the object \(objectID.uriRepresentation()) does not exist")
            }
            guard try canMove(object) || isInZone(object) else {
                throw MirroringError.sharing(
                    "the object \(objectID.uriRepresentation()) is shared already, with other people")
            }
            return object
        }
        var known: Set<NSManagedObjectID> = []
        var found: [StoredObjectKey] = []
        while let object = waiting.popLast() {
            guard known.insert(object.objectID).inserted, try canMove(object), let key = object.objectID.storedKey
            else {
                continue
            }
            found.append(key)
            waiting += object.relatedObjects
        }
        return found
    }

    /// Whether the object is in no share.
    private func canMove(_ object: NSManagedObject) throws -> Bool {
        guard let row = try session.record(of: object) else { return false }
        return row.zone == (session.home?.number ?? ZoneRow.noZone)
    }

    private func isInZone(_ object: NSManagedObject) throws -> Bool {
        try zone.map { try session.record(of: object)?.zone == $0.number } ?? false
    }
}
