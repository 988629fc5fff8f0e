import Foundation
import StratusCoreData

/// An event that has begun.
struct EventInProgress: Sendable {
    let type: NSPersistentCloudKitContainer.EventType
    var row: EventRow
    /// The records that failed.
    var failures: [RecordFailure] = []
    /// An error of the whole.
    var error: (any Error)?
}

/// Writes the events of a store and notifies observers of them. Used on the queue of the mirror.
struct EventLog: Sendable {
    private let store: NSPersistentStore
    private let post: @Sendable (NSPersistentCloudKitContainer.Event) -> Void

    init(_ store: NSPersistentStore, post: @escaping @Sendable (NSPersistentCloudKitContainer.Event) -> Void) {
        self.store = store
        self.post = post
    }

    /// Begins an event.
    func begin(_ type: NSPersistentCloudKitContainer.EventType) -> EventInProgress {
        let event = EventInProgress(
            type: type, row: EventRow(identifier: UUID(), type: Int64(type.rawValue), start: Date()))
        write(event, nil)
        return event
    }

    /// Ends an event with an error, or with those that it has noted.
    func end(_ event: EventInProgress, _ error: (any Error)? = nil) {
        let error = error ?? event.error ?? MirroringError.ofRecords(event.failures)
        var event = event
        event.row.end = Date()
        event.row.succeeded = error == nil
        event.row.error = error.map {
            let error = $0 as NSError
            return EventRow.Failure(domain: error.domain, code: error.code, text: error.localizedDescription)
        }
        write(event, error)
    }

    /// Writes an event that is nothing but a failure.
    func report(_ type: NSPersistentCloudKitContainer.EventType, _ error: any Error) { end(begin(type), error) }

    private func write(_ event: EventInProgress, _ error: (any Error)?) {
        MirroringDebug.note(event, error, of: store)
        // Observers are notified of an event that the disk does not take, too: it may be about just that.
        _ = try? store.transaction { try MirrorTables(transaction: $0).put(event.row) }
        post(
            NSPersistentCloudKitContainer.Event(
                event.row, type: event.type, storeIdentifier: store.identifier ?? "", error: error))
    }
}
