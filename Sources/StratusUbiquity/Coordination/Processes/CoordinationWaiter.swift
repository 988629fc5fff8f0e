import Foundation

/// A thread that waits until it is worth looking at the ledger again.
///
/// `@unchecked Sendable`: everything that changes is reached only while the condition is locked.
final class CoordinationWaiter: @unchecked Sendable {
    private let condition = NSCondition()
    private var isSignalled = false
    private var cancelled = false

    /// Whether the claim is not wanted any more.
    var isCancelled: Bool {
        condition.lock()
        defer { condition.unlock() }
        return cancelled
    }

    func signal() {
        condition.lock()
        isSignalled = true
        condition.broadcast()
        condition.unlock()
    }

    func cancel() {
        condition.lock()
        cancelled = true
        condition.unlock()
        signal()
    }

    /// Waits for the next signal, or one that came since the last wait.
    /// - Returns: false if the time is over.
    @discardableResult
    func wait(until end: Date? = nil) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isSignalled {
            guard let end else {
                condition.wait()
                continue
            }
            guard condition.wait(until: end) else { break }
        }
        defer { isSignalled = false }
        return isSignalled
    }
}
