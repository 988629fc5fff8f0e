import Foundation

/// Which engines' delegates are being called, each inside the one before.
enum SyncCallback {
    @TaskLocal static var engines: [ObjectIdentifier] = []
}

extension CKSyncEngine {
    /// Whether this is a callback of the delegate, or a task that one started.
    var isInCallback: Bool { SyncCallback.engines.contains(ObjectIdentifier(self)) }

    /// A callback that waited for its own engine would wait forever, as the engine goes on when it has returned.
    func refuseInCallback(_ call: String) throws {
        guard isInCallback else { return }
        throw NSError.cloudKit(
            .invalidArguments,
            "\(call) was called inside a callback of the engine's delegate, or in a task that one started. The engine goes on when the "
                + "callback has returned: change its state there, or call it from Task.detached.")
    }

    /// Calls the delegate, if it is still there. What the engine does may be cancelled; the delegate's work is not.
    private func call<Value: Sendable>(
        _ body: @escaping @Sendable (any CKSyncEngineDelegate) async -> Value
    ) async -> Value? {
        guard let delegate = delegate.delegate else { return nil }
        let engines = SyncCallback.engines + [ObjectIdentifier(self)]
        return await Task { await SyncCallback.$engines.withValue(engines) { await body(delegate) } }.value
    }

    func deliver(_ event: Event) async {
        _ = await call { await $0.handleEvent(event, syncEngine: self) }
    }

    func nextBatch(_ context: SendChangesContext) async -> RecordZoneChangeBatch? {
        await call { await $0.nextRecordZoneChangeBatch(context, syncEngine: self) } ?? nil
    }

    func nextOptions(_ context: FetchChangesContext) async -> FetchChangesOptions {
        await call { await $0.nextFetchChangesOptions(context, syncEngine: self) } ?? context.options
    }

    /// Says what is to be kept, if that changed. What a successor reports counts.
    func reportState() async {
        guard succession.successor == nil, let serialization = state.takeUnreported() else { return }
        await deliver(.stateUpdate(Event.StateUpdate(stateSerialization: serialization)))
    }
}
