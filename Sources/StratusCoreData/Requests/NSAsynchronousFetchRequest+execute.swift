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
        result.managedObjectContext = context
        let run = AsynchronousFetch(request: self, result: result)
        context.queue.async { run.run(in: context, progress) }
        return result
    }
}

// The caller hands the request over and does not change it meanwhile, as with Apple. The queue of the context alone writes
// the result, before it calls the block. Programs read the result in the block or after it. The other thread uses neither.
/// A fetch that begins and ends on the queue of a context, which others can use while the stores are asked.
private struct AsynchronousFetch<ResultType>: @unchecked Sendable {
    let request: NSAsynchronousFetchRequest<ResultType>
    let result: NSAsynchronousFetchResult<ResultType>

    func run(in context: NSManagedObjectContext, _ progress: Progress) {
        do {
            guard !progress.isCancelled else { throw CocoaError(.userCancelled) }
            guard let search = try context.searchOfStores(request.fetchRequest.settings) else {
                return end(progress) { try context.fetch(request.fetchRequest) }
            }
            DispatchQueue.global().async {
                let found = Result { try search.coordinator.find(search.plan, search.affectedStores) }
                context.queue.async { end(progress) { try objects(found.get(), in: context) } }
            }
        } catch {
            end(progress) { throw error }
        }
    }

    /// Returns the results, with what the context has changed since the stores were asked.
    private func objects(_ found: [FoundObject], in context: NSManagedObjectContext) throws -> [ResultType] {
        let settings = request.fetchRequest.settings
        guard try context.searchOfStores(settings) != nil else { return try context.fetch(request.fetchRequest) }
        return try context.objects(found, settings).compactMap { $0 as? ResultType }
    }

    /// Ends the fetch, on the queue of the context.
    private func end(_ progress: Progress, _ results: () throws -> [ResultType]) {
        do {
            guard !progress.isCancelled else { throw CocoaError(.userCancelled) }
            result.finalResult = try results()
            progress.completedUnitCount = progress.totalUnitCount
        } catch {
            result.operationError = error
        }
        request.completionBlock?(result)
    }
}

/// A fetch that can run on any thread.
private struct StoreSearch: Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let plan: FetchPlan
    let affectedStores: [NSPersistentStore]?
}

extension NSManagedObjectContext {
    /// Returns the search for a fetch whose results the stores determine alone; nil for a context with a parent, with a
    /// former state of the stores, with incremental stores, or with changes of the entity, and for other results than
    /// objects.
    fileprivate func searchOfStores(_ settings: FetchSettings) throws -> StoreSearch? {
        let entity = try entity(of: settings)
        guard parent == nil, queryGeneration == nil, settings.resultType == .managedObjectResultType,
            !settings.refreshesRefetchedObjects, let coordinator, coordinator.source(for: self) === coordinator,
            !needsMerge(settings, entity)
        else { return nil }
        let withRows = settings.includesPropertyValues && settings.batchSize == 0
        return StoreSearch(
            coordinator: coordinator, plan: try FetchPlan(settings, entity, withRows ? .rows : .keys),
            affectedStores: settings.affectedStores)
    }
}
