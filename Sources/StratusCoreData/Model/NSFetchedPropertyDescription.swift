import Foundation

/// A property whose value is an array of the objects that a fetch request finds. No store keeps it.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// The fetch. In its predicate `$FETCH_SOURCE` stands for the object that has the property, and `$FETCHED_PROPERTY`
    /// for this description.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { willSet { assertMutable() } }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        copy.fetchRequest = fetchRequest?.copy() as? NSFetchRequest<any NSFetchRequestResult>
    }

    override func freeze() {
        super.freeze()
        fetchRequest?.isFrozen = true
    }

    override func addFacts(to hash: inout VersionHash) {
        hash.add("fetched")
        super.addFacts(to: &hash)
    }
}
