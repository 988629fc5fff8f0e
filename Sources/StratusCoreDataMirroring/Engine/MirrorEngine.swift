import StratusCloudKit

/// The part of a mirror that decides when changes are sent and fetched, and does it.
protocol MirrorEngine: AnyObject, Sendable {
    /// Makes the engine ask for batches.
    /// - Parameter zones: Zones to be saved before.
    func sendSoon(saving zones: [CKRecordZone])

    /// Sends, fetches and sends again. Failures are in the events.
    func synchronize() async

    /// Cancels everything that runs or is planned.
    func cancelOperations() async
}

extension CKSyncEngine: MirrorEngine {
    func sendSoon(saving zones: [CKRecordZone]) {
        if !zones.isEmpty { state.add(pendingDatabaseChanges: zones.map { .saveZone($0) }) }
        state.hasPendingUntrackedChanges = true
    }

    func synchronize() async {
        // Errors are reported to the delegate, too, which puts them into events.
        try? await sendChanges()
        try? await fetchChanges()
        try? await sendChanges()
    }
}
