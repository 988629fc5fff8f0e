import Foundation

/// The place where a context takes its objects from and saves them to.
protocol ObjectSource: AnyObject {
    /// Returns the objects that a fetch finds, with their rows if `withRows`.
    func find(_ settings: FetchSettings, _ entity: NSEntityDescription, withRows: Bool) throws -> [FoundObject]

    /// Returns the number of objects that a fetch finds.
    func count(_ settings: FetchSettings, _ entity: NSEntityDescription) throws -> Int

    /// Whether the order of what is found has to be established by the context.
    func findsWithoutOrder(_ entity: NSEntityDescription) -> Bool

    /// Returns the row of an object, read within an interval; nil if the object does not exist.
    func row(of id: NSManagedObjectID, notOlderThan interval: TimeInterval?) throws -> StoredRow?

    /// Reads the rows of objects that will soon be asked for.
    func load(_ ids: [NSManagedObjectID]) throws

    /// Returns the destinations of a to-many relationship.
    func destinations(of relationship: NSRelationshipDescription, from id: NSManagedObjectID) throws
        -> [NSManagedObjectID]
}

/// An object that a fetch found.
struct FoundObject {
    let id: NSManagedObjectID
    let row: StoredRow?
}

/// Faults whose values are read together.
final class FaultBatch {
    let ids: [NSManagedObjectID]

    init(_ ids: [NSManagedObjectID]) { self.ids = ids }
}
