import Foundation

/// The destinations of a to-many relationship, which change with the set.
final class RelationshipSet: NSMutableSet {
    private let owner: NSManagedObject
    private let relationship: NSRelationshipDescription

    init(of owner: NSManagedObject, _ relationship: NSRelationshipDescription) {
        self.owner = owner
        self.relationship = relationship
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) { preconditionFailure("a set of a relationship has an owner") }
    required init?(coder aDecoder: NSCoder) { nil }

    private var members: NSSet { owner.value(forKey: relationship.name) as? NSSet ?? NSSet() }

    override var count: Int { members.count }
    override func member(_ object: Any) -> Any? { members.member(object) }
    override func objectEnumerator() -> NSEnumerator { members.objectEnumerator() }

    override func add(_ object: Any) { owner.addDestination(owner.requiredObject(object), to: relationship) }

    override func remove(_ object: Any) { owner.removeDestination(owner.requiredObject(object), from: relationship) }

    override func copy(with zone: NSZone? = nil) -> Any { members }
}

extension NSManagedObject {
    func requiredObject(_ object: Any) -> NSManagedObject {
        guard let object = object as? NSManagedObject else {
            preconditionFailure(
                "a relationship of entity '\(entity.name ?? "")' leads to managed objects, not to \(object)")
        }
        return object
    }
}
