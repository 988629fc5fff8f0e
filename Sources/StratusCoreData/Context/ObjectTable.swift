/// The objects of a context by their IDs. The table keeps only new objects alive, which the context does, too: an object
/// without weak references is counted faster.
struct ObjectTable {
    private struct Weak {
        weak var object: NSManagedObject?
    }

    private enum Reference {
        case weak(Weak)
        case strong(NSManagedObject)

        var object: NSManagedObject? {
            switch self {
            case .weak(let reference): reference.object
            case .strong(let object): object
            }
        }
    }

    private var references: [NSManagedObjectID: Reference] = [:]
    /// The number of references at which those to released objects are removed.
    private var sweepCount = 128

    subscript(id: NSManagedObjectID) -> NSManagedObject? { references[id]?.object }

    /// The number of objects, of which some may be released already.
    var count: Int { references.count }

    var objects: [NSManagedObject] { references.values.compactMap(\.object) }

    mutating func insert(_ object: NSManagedObject) {
        references[object.objectID] = object.isInserted ? .strong(object) : .weak(Weak(object: object))
        guard references.count >= sweepCount else { return }
        references = references.filter { $0.value.object != nil }
        sweepCount = max(128, references.count * 2)
    }

    /// Ends keeping objects alive that are no longer new.
    mutating func release(_ objects: some Sequence<NSManagedObject>) {
        for object in objects where references[object.objectID] != nil {
            references[object.objectID] = .weak(Weak(object: object))
        }
    }

    mutating func remove(_ id: NSManagedObjectID) { references[id] = nil }

    mutating func removeAll() { references = [:] }
}
