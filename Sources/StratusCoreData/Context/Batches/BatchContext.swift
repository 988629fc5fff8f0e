import Foundation

// `@unchecked Sendable`: only the call that makes it uses it. Its properties are used on its queue, but for the store of
// new objects, which the call sets before the queue runs anything.
/// A context for requests that change rows without the objects of the program: its objects have none of the program's
/// classes, and its saves neither validate nor notify.
final class BatchContext: NSManagedObjectContext, @unchecked Sendable {
    /// The stored objects that new ones with the same unique values gave way to.
    fileprivate(set) var replaced: Set<NSManagedObject> = []

    /// The store of new objects; nil for the first one that can have them.
    var storeForNew: NSPersistentStore?

    init(for context: NSManagedObjectContext) {
        super.init(concurrencyType: .privateQueueConcurrencyType)
        isBatch = true
        persistentStoreCoordinator = context.coordinator
        transactionAuthor = context.transactionAuthor
        name = context.name
        mergePolicy = BatchMergePolicy(uniqueness: context.mergePolicy as? NSMergePolicy ?? .error)
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

    /// Applies the delete rules, and validates that no relationship denies a deletion and that the objects that remain have
    /// the destinations that they need.
    func validateDeletions() throws {
        endEvent()
        var errors: [NSError] = []
        func collect(_ validate: () throws -> Void) {
            do { try validate() } catch { errors.append(error as NSError) }
        }
        for object in deletedObjects { collect(object.validateDeniedRelationships) }
        for object in updatedObjects { collect(object.validateChangedRelationships) }
        try NSManagedObject.throwTogether(errors)
    }
}

// `@unchecked Sendable`: the only property never changes and is a policy, which is `Sendable`. Conflicts are resolved on
// the queue of the batch's context, which alone has the objects that are changed.
/// The resolution of conflicts of a batch, which changes rows as they are when it is executed. Equal values for a
/// uniqueness constraint are a conflict as in a save of the context that executes the batch.
private final class BatchMergePolicy: NSMergePolicy, @unchecked Sendable {
    private let uniqueness: NSMergePolicy

    init(uniqueness: NSMergePolicy) {
        self.uniqueness = uniqueness
        super.init(merge: .overwriteMergePolicyType)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        try uniqueness.resolve(mergeConflicts: list)
        for case let object? in list.map(\.databaseObject) {
            (object.managedObjectContext as? BatchContext)?.replaced.insert(object)
        }
    }
}
