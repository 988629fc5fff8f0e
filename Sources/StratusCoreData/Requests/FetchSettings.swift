import Foundation
import StratusCompatibility

/// Everything that a fetch request asks for, whatever the type of its results.
struct FetchSettings {
    var subject = EntityReference(name: nil)
    var predicate: NSPredicate?
    var sortDescriptors: [NSSortDescriptor]?
    var limit = 0
    var offset = 0
    var batchSize = 0
    var resultType: NSFetchRequestResultType = .managedObjectResultType
    var includesSubentities = true
    var includesPropertyValues = true
    var includesPendingChanges = true
    var returnsObjectsAsFaults = true
    var returnsDistinctResults = false
    var refreshesRefetchedObjects = false
    var prefetchedKeyPaths: [String]?
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
    var affectedStores: [NSPersistentStore]?

    var entityName: String? { subject.name }

    /// Whether objects of an entity can be among the results of a fetch of another one.
    func concerns(_ entity: NSEntityDescription, _ fetched: NSEntityDescription) -> Bool {
        includesSubentities ? entity.isKindOf(entity: fetched) : entity === fetched
    }

    /// Puts IDs in the place of objects in the predicate.
    mutating func replacePredicateObjects() {
        predicate = predicate.map { predicate in
            NSPredicate(
                predicate.predicateTree.replacingObjects { ($0 as? NSManagedObject)?.objectID ?? $0 })
        }
    }

    /// The predicate for the objects of a context, with objects in the place of IDs.
    func predicate(in context: NSManagedObjectContext) -> NSPredicate? {
        predicate.map { predicate in
            NSPredicate(
                predicate.predicateTree.replacingObjects { value in
                    (value as? NSManagedObjectID).map { context.object(with: $0) } ?? value
                })
        }
    }
}
