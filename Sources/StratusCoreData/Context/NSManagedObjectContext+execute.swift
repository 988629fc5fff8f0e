import Foundation

extension NSManagedObjectContext {
    /// Answers a request that is not a fetch request.
    /// - Throws: An error with the code `persistentStoreUnsupportedRequestType` for requests of other kinds.
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        guard let coordinator else { throw CocoaError.make(.coreData, "the context has no coordinator") }
        switch request {
        case let request as NSPersistentHistoryChangeRequest: return try coordinator.execute(request)
        case let request as NSBatchInsertRequest: return try execute(request)
        case let request as NSBatchUpdateRequest: return try execute(request)
        case let request as NSBatchDeleteRequest: return try execute(request)
        case let request as any CoordinatorRequest: return try request.answer(in: coordinator)
        case let request as any AsynchronousFetching: return request.execute(in: self)
        default:
            throw CocoaError.make(
                .persistentStoreUnsupportedRequestType, "stores cannot answer a \(type(of: request))")
        }
    }
}
