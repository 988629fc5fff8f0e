/// The objects of a context by their IDs. The table does not keep them alive.
struct ObjectTable {
    private struct Reference {
        weak var object: NSManagedObject?
    }

    private var references: [NSManagedObjectID: Reference] = [:]
    /// The number of references at which those to released objects are removed.
    private var sweepCount = 128

    subscript(id: NSManagedObjectID) -> NSManagedObject? { references[id]?.object }

    var objects: [NSManagedObject] { references.values.compactMap(\.object) }

    mutating func insert(_ object: NSManagedObject) {
        references[object.objectID] = Reference(object: object)
        guard references.count >= sweepCount else { return }
        references = references.filter { $0.value.object != nil }
        sweepCount = max(128, references.count * 2)
    }

    mutating func remove(_ id: NSManagedObjectID) { references[id] = nil }

    mutating func removeAll() { references = [:] }
}
