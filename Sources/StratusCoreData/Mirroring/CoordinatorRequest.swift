/// A request that another module answers.
package protocol CoordinatorRequest: NSPersistentStoreRequest {
    /// Answers the request from the stores of a coordinator.
    func answer(in coordinator: NSPersistentStoreCoordinator) throws -> NSPersistentStoreResult
}
