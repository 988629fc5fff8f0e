import Foundation

// It adds no properties to its superclass, and only the call that makes it uses it.
/// A context for requests that change rows without the objects of the program: its objects have none of the program's
/// classes, and its saves neither validate nor notify.
final class BatchContext: NSManagedObjectContext, @unchecked Sendable {
    init(for context: NSManagedObjectContext) {
        super.init(concurrencyType: .privateQueueConcurrencyType)
        isBatch = true
        persistentStoreCoordinator = context.coordinator
        transactionAuthor = context.transactionAuthor
        name = context.name
        // A batch changes rows as they are when it is executed.
        mergePolicy = NSMergePolicy.overwrite
        stalenessInterval = 0
    }

    /// Returns the objects of all stores that satisfy a predicate.
    func objects(of entity: NSEntityDescription, _ settings: FetchSettings) throws -> [NSManagedObject] {
        var settings = settings
        settings.subject = EntityReference(entity)
        settings.includesPendingChanges = false
        settings.resultType = .managedObjectResultType
        settings.prefetchedKeyPaths = nil
        settings.batchSize = 0
        settings.returnsObjectsAsFaults = false
        return try find(settings)
    }
}
