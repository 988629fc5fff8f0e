import CloudKit
import StratusWorkers

/// The events of an engine, in order, to be looked at and waited for.
final class EventLog: Sendable {
    private struct State {
        var events: [CKSyncEngine.Event] = []
        var waiters: [(isMet: @Sendable ([CKSyncEngine.Event]) -> Bool, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())

    func add(_ event: CKSyncEngine.Event) {
        let woken = state.withLock { state in
            state.events.append(event)
            let events = state.events
            let met = state.waiters.filter { $0.isMet(events) }.map(\.wake)
            state.waiters.removeAll { $0.isMet(events) }
            return met
        }
        for waiter in woken { waiter.resume() }
    }

    var events: [CKSyncEngine.Event] { state.withLock { $0.events } }

    /// Events without those that only say what is to be kept.
    var names: [String] {
        events.compactMap { if case .stateUpdate = $0 { nil } else { $0.description } }
    }

    func clear() { state.withLock { $0.events = [] } }

    /// Waits until the events so far satisfy a condition.
    func wait(until isMet: @escaping @Sendable ([CKSyncEngine.Event]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if isMet(state.events) { return true }
                state.waiters.append((isMet, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Waits for an event by what it is called at the beginning.
    func wait(for name: String, count: Int = 1) async {
        await wait { events in events.filter { $0.description.hasPrefix(name) }.count >= count }
    }
}

extension CKSyncEngine.Event {
    var sentRecords: SentRecordZoneChanges? { if case .sentRecordZoneChanges(let event) = self { event } else { nil } }
    var fetchedRecords: FetchedRecordZoneChanges? {
        if case .fetchedRecordZoneChanges(let event) = self { event } else { nil }
    }
    var fetchedZones: FetchedDatabaseChanges? {
        if case .fetchedDatabaseChanges(let event) = self { event } else { nil }
    }
}
