import Foundation
import StratusCompatibility

extension NSManagedObject {
    /// Returns the objects of a fetched property, which are fetched when they are first read, and after a refresh.
    func fetchedObjects(of property: NSFetchedPropertyDescription) -> [NSManagedObject] {
        managedObjectContext?.checkQueue()
        if let known = changes?.fetched[property.name] { return known }
        guard let context = managedObjectContext, let request = property.fetchRequest else { return [] }
        var settings = request.settings
        settings.resultType = .managedObjectResultType
        settings.predicate = settings.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": self, "FETCHED_PROPERTY": property,
        ])
        do {
            let found = try context.find(settings)
            changesToWrite.fetched[property.name] = found
            return found
        } catch {
            // Apple raises an exception, too. A property cannot throw.
            preconditionFailure(
                "CoreData: the fetched property '\(property.name)' of \(objectID) cannot be read: \(error)")
        }
    }
}
