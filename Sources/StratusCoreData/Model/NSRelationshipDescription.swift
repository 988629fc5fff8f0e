import Foundation

/// A property that holds one object or several objects of an entity.
open class NSRelationshipDescription: NSPropertyDescription {
    /// The entity of the objects. The model keeps it alive.
    open weak var destinationEntity: NSEntityDescription? { willSet { assertMutable() } }

    /// The relationship from the destination back.
    open weak var inverseRelationship: NSRelationshipDescription? { willSet { assertMutable() } }

    /// The smallest number of objects in a relationship that is not empty.
    open var minCount = 0 { willSet { assertMutable() } }

    /// The largest number of objects; 0 for any number.
    open var maxCount = 0 { willSet { assertMutable() } }

    open var deleteRule = NSDeleteRule.nullifyDeleteRule { willSet { assertMutable() } }
    open var isOrdered = false { willSet { assertMutable() } }

    /// Whether the relationship holds a collection of objects.
    public var isToMany: Bool { maxCount != 1 }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship
        copy.minCount = minCount
        copy.maxCount = maxCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }

    override func addFacts(to hash: inout VersionHash) {
        hash.add("relationship")
        super.addFacts(to: &hash)
        hash.add(destinationEntity?.name)
        hash.add(inverseRelationship?.name)
        hash.add(minCount)
        hash.add(maxCount)
        hash.add(Int(deleteRule.rawValue))
        hash.add(isOrdered)
    }
}
