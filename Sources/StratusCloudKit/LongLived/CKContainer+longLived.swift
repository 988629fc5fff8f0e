import Foundation

extension CKContainer {
    /// The names of the long-lived operations that are not over, or whose results nobody took yet. Those that another
    /// process has in hand are not among them.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
        guard let store = source.connection.operations else { return [] }
        return try await LocalFile.waiting { store.operationIDs() }
    }

    /// The names of the long-lived operations that are not over, or whose results nobody took yet.
    @preconcurrency
    public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.allLongLivedOperationIDs() }, completionHandler)
    }

    /// A long-lived operation by name: give it blocks and add it, and it tells its results, or goes on where a process
    /// that is gone had got to; nil if there is none, or another process has it in hand.
    ///
    /// One that this process has already is the same object; adding it again does nothing.
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
        guard let store = source.connection.operations else { return nil }
        if let known = store.ownOperation(operationID) { return known }
        guard try await LocalFile.waiting({ store.contains(operationID) }) else { return nil }
        let seal: OperationSeal
        do { seal = try await store.seal() } catch let error as DeviceKeyStoreError { throw NSError.cloudKit(error) }
        return try await LocalFile.waiting { () -> CKOperation? in
            if let known = store.ownOperation(operationID) { return known }
            // What cannot be opened was sealed with a key that is lost.
            guard let kept = try store.open(operationID, seal), let archive = try? kept.archive(),
                let operation = OperationArchive.operation(archive, in: self)
            else { return nil }
            operation.resume(kept)
            store.register(operation)
            return operation
        }
    }

    /// A long-lived operation by name.
    @preconcurrency
    public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID,
        completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Completion.optional({ try await self.longLivedOperation(for: operationID) }, completionHandler)
    }
}
