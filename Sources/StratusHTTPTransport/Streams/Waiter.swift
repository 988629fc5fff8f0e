/// The one task that waits for a stream's other side. Used under the connection's lock.
struct Waiter<Value: Sendable> {
    private var continuation: CheckedContinuation<Value, any Error>?

    mutating func wait(_ continuation: CheckedContinuation<Value, any Error>) { self.continuation = continuation }

    /// The waiting task, to be resumed outside of the lock.
    mutating func take() -> CheckedContinuation<Value, any Error>? {
        defer { continuation = nil }
        return continuation
    }
}
