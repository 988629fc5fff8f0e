import Foundation

/// An asynchronous fetch request whose type of results is not known.
protocol AsynchronousFetching: NSPersistentStoreRequest {
    /// Starts the fetch on the queue of a context.
    func execute(in context: NSManagedObjectContext) -> NSPersistentStoreResult
}

extension NSAsynchronousFetchRequest: AsynchronousFetching {
    func execute(in context: NSManagedObjectContext) -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(fetchRequest: self)
        let progress = Progress(totalUnitCount: Int64(max(estimatedResultCount, 1)))
        result.progress = progress
        let run = AsynchronousFetch(request: self, result: result)
        context.queue.async { run.run(in: context, progress) }
        return result
    }
}

// The caller hands the request over and does not change it meanwhile, as with Apple. The queue of the context alone writes
// the result, before it calls the block. Programs read the result in the block or after it.
/// A fetch on its way to the queue of a context.
private struct AsynchronousFetch<ResultType>: @unchecked Sendable {
    let request: NSAsynchronousFetchRequest<ResultType>
    let result: NSAsynchronousFetchResult<ResultType>

    func run(in context: NSManagedObjectContext, _ progress: Progress) {
        do {
            guard !progress.isCancelled else { throw CocoaError(.userCancelled) }
            result.finalResult = try context.fetch(request.fetchRequest)
            progress.completedUnitCount = progress.totalUnitCount
        } catch {
            result.operationError = error
        }
        request.completionBlock?(result)
    }
}
