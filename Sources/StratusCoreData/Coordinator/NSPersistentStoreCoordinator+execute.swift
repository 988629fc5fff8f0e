import Foundation

extension NSPersistentStoreCoordinator {
    /// Answers a request for a context, by the stores alone: changes of the context that are not saved are not in the
    /// result of a fetch.
    /// - Returns: An array for a fetch request, and an `NSPersistentStoreResult` for others.
    /// - Throws: An error with the code `persistentStoreUnsupportedRequestType` for requests of other kinds.
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        precondition(context.coordinator === self, "the context has another coordinator")
        guard let fetch = request as? any AnyFetchRequest else { return try context.execute(request) }
        var settings = fetch.settings
        settings.includesPendingChanges = false
        return try context.fetchResults(settings)
    }
}
