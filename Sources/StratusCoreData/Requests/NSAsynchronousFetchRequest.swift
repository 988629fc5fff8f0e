import Foundation

/// A fetch request that a context runs in the background and whose objects a block receives.
open class NSAsynchronousFetchRequest<ResultType>: NSPersistentStoreRequest {
    /// The block that a context calls on its queue when the fetch has ended.
    public typealias CompletionBlock = (NSAsynchronousFetchResult<ResultType>) -> Void

    /// The description of the objects to fetch.
    public let fetchRequest: NSFetchRequest<ResultType>

    /// The block that receives the result.
    public let completionBlock: CompletionBlock?

    /// The expected number of results, from which the progress is computed; 0 if it is unknown.
    open var estimatedResultCount = 0

    /// Makes a request whose result a block receives.
    public init(fetchRequest request: NSFetchRequest<ResultType>, completionBlock blk: CompletionBlock? = nil) {
        fetchRequest = request
        completionBlock = blk
        super.init()
    }

    /// Returns a copy with a copy of the fetch request and the same block.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let request = fetchRequest.copy() as? NSFetchRequest<ResultType> ?? fetchRequest
        let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: completionBlock)
        copy.estimatedResultCount = estimatedResultCount
        copy.affectedStores = affectedStores
        return copy
    }
}

/// The result of a request that runs in the background.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// The error that ended the request.
    public internal(set) var operationError: (any Error)?

    /// The context that executes the request.
    public internal(set) var managedObjectContext: NSManagedObjectContext?

    /// The progress of the request.
    public internal(set) var progress: Progress?

    /// Asks the request to stop. A block then receives no objects and an error.
    open func cancel() { progress?.cancel() }
}

/// The result of an asynchronous fetch, which has its objects when the fetch has ended.
open class NSAsynchronousFetchResult<ResultType>: NSPersistentStoreAsynchronousResult {
    /// The request that was executed.
    public let fetchRequest: NSAsynchronousFetchRequest<ResultType>

    /// The fetched objects; nil until the fetch has ended, and after an error.
    public internal(set) var finalResult: [ResultType]?

    init(fetchRequest: NSAsynchronousFetchRequest<ResultType>) {
        self.fetchRequest = fetchRequest
        super.init()
    }
}
