/// What waits to be sent, and what is on its way. What is changed again while it is on its way waits again.
struct PendingQueue<Change: PendingItem>: Sendable {
    private var waiting = PendingList<Change>()
    private var sent = PendingList<Change>()
    /// Counts what is added, so that what comes while a batch is put together is told from what was there before.
    private(set) var mark: UInt64 = 0

    /// All that the server does not have for certain.
    var changes: [Change] {
        guard !sent.isEmpty else { return waiting.changes }
        return sent.changes.filter { waiting[$0.subject] == nil } + waiting.changes
    }

    var isEmpty: Bool { waiting.isEmpty && sent.isEmpty }
    var hasWaiting: Bool { !waiting.isEmpty }
    /// What is not on its way.
    var waitingChanges: [Change] { waiting.changes }

    /// Whether something new was added: a change that waited already is not.
    mutating func add(_ changes: [Change]) -> Bool {
        guard !changes.isEmpty else { return false }
        mark += 1
        for change in changes { waiting.put(change, number: mark) }
        return true
    }

    /// Whether something was removed.
    mutating func remove(_ changes: [Change]) -> Bool {
        var isChanged = false
        for change in changes {
            if waiting[change.subject]?.change == change { isChanged = waiting.remove(change.subject) || isChanged }
            if sent[change.subject]?.change == change { isChanged = sent.remove(change.subject) || isChanged }
        }
        return isChanged
    }

    /// Notes that changes are on their way. Those that were added after a mark wait nevertheless: what is sent may not
    /// have them.
    mutating func send(_ changes: [Change], addedUpTo mark: UInt64) {
        for change in changes {
            guard let known = waiting[change.subject], known.change == change, known.number <= mark else { continue }
            waiting.remove(change.subject)
            sent.put(change)
        }
    }

    /// Notes what became of what was on its way: what is to be tried again waits, unless it was changed meanwhile.
    mutating func settle(again: (Change) -> Bool) {
        waiting.putBack(sent.changes.filter(again))
        sent = PendingList()
    }

    mutating func removeAll() {
        waiting = PendingList()
        sent = PendingList()
    }
}
