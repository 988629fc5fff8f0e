/// What an app does for its engine. Calls come one at a time, and the engine goes on when one has returned.
///
/// While it handles one, the delegate may change the engine's state, but not wait for the engine to send or fetch.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Something happened.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

    /// The next records to send, of those in the context's scope; nil when there are none. Called again after each batch.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?

    /// What to fetch next, before each request; the context's options if the delegate does not say.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// As the context says.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}
