import Foundation

// A context as the parent of another: all calls come from the queue of the child, which waits for this one.
extension NSManagedObjectContext: ObjectSource {
    func findsWithoutOrder(_ entity: NSEntityDescription) -> Bool { false }

    func find(_ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool) throws -> [FoundObject] {
        var settings = settings
        settings.includesPropertyValues = withRows
        settings.returnsObjectsAsFaults = true
        settings.batchSize = 0
        settings.prefetchedKeyPaths = nil
        return try performAndWait { [settings] in
            try find(settings).map { FoundObject(id: $0.objectID, row: withRows ? try currentRow(of: $0) : nil) }
        }
    }

    func count(_ settings: FetchSettings, _ entity: NSEntityDescription) throws -> Int {
        try performAndWait { try count(settings) }
    }

    func row(of id: NSManagedObjectID, notOlderThan interval: TimeInterval?) throws -> StoredRow? {
        try performAndWait {
            let id = currentID(of: id)
            guard let object = objects[id] else { return try source?.row(of: id, notOlderThan: interval) }
            return object.isDeleted ? nil : try currentRow(of: object, notOlderThan: interval)
        }
    }

    func load(_ ids: [NSManagedObjectID]) throws { try performAndWait { try source?.load(ids) } }

    func destinations(
        of relationship: NSRelationshipDescription, from id: NSManagedObjectID
    ) throws -> [NSManagedObjectID] {
        try performAndWait {
            let id = currentID(of: id)
            guard let object = objects[id], let position = object.table.position(of: relationship.name),
                !object.isFault(at: position)
            else { return try source?.destinations(of: relationship, from: id) ?? [] }
            return object.state(at: position).destinations.filter { !$0.isDeleted }.map(\.objectID)
        }
    }

    /// Returns the row of an object with its values of now. New objects have negative keys.
    private func currentRow(of object: NSManagedObject, notOlderThan interval: TimeInterval? = nil) throws -> StoredRow?
    {
        guard object.isInserted || object.isUpdated else {
            if let row = object.row { return row }
            return try source?.row(of: object.objectID, notOlderThan: interval)
        }
        return try RowEncoder(storeOf: store(of:), keyOf: { $0.objectID.key }).row(of: object)
    }
}
