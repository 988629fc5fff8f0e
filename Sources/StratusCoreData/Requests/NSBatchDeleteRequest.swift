import Foundation

/// The kinds of results of a batch deletion, with Apple's numbers.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it succeeded.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects.
    case resultTypeObjectIDs = 1
    /// The number of deleted objects.
    case resultTypeCount = 2
}

/// A request that deletes rows of a store without objects in a context. Validation is left out.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// The description of the objects to delete.
    public let fetchRequest: NSFetchRequest<any NSFetchRequestResult>

    /// The kind of the result.
    open var resultType = NSBatchDeleteRequestResultType.resultTypeStatusOnly

    /// Makes a request that deletes what a fetch request describes.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        fetchRequest = fetch.copy() as? NSFetchRequest<any NSFetchRequestResult> ?? fetch
        super.init()
    }

    /// Makes a request that deletes what a fetch request with a certain type of results describes. Apple's programs cast
    /// such a request instead.
    @_disfavoredOverload
    public convenience init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        self.init(fetchRequest: fetch.erased)
    }

    /// Makes a request that deletes objects, which are all of one entity.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = objects.first?.entity
        request.predicate = NSPredicate(format: "self IN %@", objects)
        self.init(fetchRequest: request)
    }

    /// A request to delete.
    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// Returns a copy that can be changed without changing this request.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSBatchDeleteRequest(fetchRequest: fetchRequest)
        copy.resultType = resultType
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The answer to a batch deletion.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// A `Bool`, an array of IDs or an `Int`, as ``resultType`` says.
    public let result: Any?

    /// The kind of ``result``.
    public let resultType: NSBatchDeleteRequestResultType

    init(_ result: Any?, _ resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
        super.init()
    }
}
