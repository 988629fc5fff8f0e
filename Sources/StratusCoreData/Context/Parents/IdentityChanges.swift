import Synchronization

/// The permanent IDs that objects of a context have got, until all children of the context have taken them over. The
/// children read them on queues of their own.
final class IdentityChanges: Sendable {
    typealias Change = (temporary: NSManagedObjectID, permanent: NSManagedObjectID)

    private struct Child: Sendable {
        weak var context: NSManagedObjectContext?
        /// The number of changes that the child knows.
        var known: Int
    }

    private struct State {
        var children: [Child] = []
        var changes: [Change] = []
        /// The number of former changes, which all children know.
        var dropped = 0

        mutating func drop() {
            children.removeAll { $0.context == nil }
            let known = (children.map(\.known).min() ?? dropped + changes.count) - dropped
            changes.removeFirst(known)
            dropped += known
        }
    }

    private let state = Mutex(State())

    func add(_ child: NSManagedObjectContext) {
        state.withLock { $0.children.append(Child(context: child, known: $0.dropped + $0.changes.count)) }
    }

    func remove(_ child: NSManagedObjectContext) {
        state.withLock { state in
            state.children.removeAll { $0.context === child }
            state.drop()
        }
    }

    /// Keeps a change for the children.
    /// - Returns: Whether a child exists.
    func append(_ change: Change) -> Bool {
        state.withLock { state in
            state.drop()
            guard !state.children.isEmpty else { return false }
            state.changes.append(change)
            return true
        }
    }

    /// Returns the changes that a child does not know yet, which it knows from then on.
    func take(for child: NSManagedObjectContext) -> [Change] {
        state.withLock { state in
            guard let index = state.children.firstIndex(where: { $0.context === child }) else { return [] }
            let new = Array(state.changes[(state.children[index].known - state.dropped)...])
            guard !new.isEmpty else { return [] }
            state.children[index].known += new.count
            state.drop()
            return new
        }
    }

    /// The number of changes that some child does not know yet.
    var count: Int { state.withLock { $0.changes.count } }
}
