import Foundation

/// The destinations of an ordered relationship, which change with the set.
///
/// Foundation's class reads its own storage in methods that cannot be overridden. The set therefore holds the
/// destinations of the moment when it was made, and each change of the set sets the relationship.
final class RelationshipOrderedSet: NSMutableOrderedSet {
    private let owner: NSManagedObject
    private let relationship: NSRelationshipDescription

    init(of owner: NSManagedObject, _ relationship: NSRelationshipDescription) {
        self.owner = owner
        self.relationship = relationship
        super.init(capacity: 0)
        let members = owner.value(forKey: relationship.name) as? NSOrderedSet
        super.addObjects(from: members?.array ?? [])
    }

    required init?(coder aDecoder: NSCoder) { nil }

    required init(arrayLiteral elements: Any...) {
        preconditionFailure("a set of a relationship has an owner")
    }

    private func apply() { owner.setValue(NSOrderedSet(array: array), forKey: relationship.name) }

    // The other methods that change a set call these.
    override func insert(_ object: Any, at idx: Int) {
        super.insert(object, at: idx)
        apply()
    }

    override func removeObject(at idx: Int) {
        super.removeObject(at: idx)
        apply()
    }

    override func replaceObject(at idx: Int, with obj: Any) {
        super.replaceObject(at: idx, with: obj)
        apply()
    }

    override func add(_ object: Any) {
        super.add(object)
        apply()
    }

    override func add(_ objects: UnsafePointer<AnyObject>?, count: Int) {
        super.add(objects, count: count)
        apply()
    }

    override func addObjects(from array: [Any]) {
        super.addObjects(from: array)
        apply()
    }

    override func exchangeObject(at idx1: Int, withObjectAt idx2: Int) {
        super.exchangeObject(at: idx1, withObjectAt: idx2)
        apply()
    }

    override func remove(_ val: Any) {
        super.remove(val)
        apply()
    }

    override func removeAllObjects() {
        super.removeAllObjects()
        apply()
    }

    override func intersect(_ other: NSOrderedSet) {
        super.intersect(other)
        apply()
    }

    override func sortRange(
        _ range: NSRange, options opts: NSSortOptions = [], usingComparator cmptr: (Any, Any) -> ComparisonResult
    ) {
        super.sortRange(range, options: opts, usingComparator: cmptr)
        apply()
    }

    override func sort(using sortDescriptors: [NSSortDescriptor]) {
        super.sort(using: sortDescriptors)
        apply()
    }
}
