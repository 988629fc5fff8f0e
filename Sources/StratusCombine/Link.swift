import Foundation

/// A subscriber's side of its one subscription. Whatever thread values come on, what it says holds.
final class Link {
    private enum State {
        case waiting
        case open(any Subscription)
        case over
    }

    private let lock = NSLock()
    private var state = State.waiting

    /// Takes the subscription; one that comes too late, or second, is cancelled.
    func begin(_ subscription: any Subscription) -> Bool {
        let isFirst = lock.withLock {
            guard case .waiting = state else { return false }
            state = .open(subscription)
            return true
        }
        if !isFirst { subscription.cancel() }
        return isFirst
    }

    var isOpen: Bool {
        lock.withLock { if case .open = state { true } else { false } }
    }

    /// Ends it; the subscription that was open, once.
    func end() -> (any Subscription)? {
        lock.withLock {
            defer { state = .over }
            return if case .open(let subscription) = state { subscription } else { nil }
        }
    }
}
