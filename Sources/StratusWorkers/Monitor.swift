import Glibc

/// A value that only one thread touches at a time, and that threads wait for to change.
///
/// Who waits blocks its thread, so this is for threads that may: not for Swift's cooperative ones. A value that nobody
/// waits for is better in a ``Lock``.
///
/// A pthread lock, for the reason that ``Lock`` has one.
/// `@unchecked Sendable`: `value` is reached only while `mutex` is held, and the two pointers never change.
public final class Monitor<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// Puts a value under the lock.
    public init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(changed)
        mutex.deallocate()
        changed.deallocate()
    }

    /// Runs `body` with the value, alone. Wakes nobody.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Runs `body` with the value, alone, now and after each wake-up until it gives something, and returns that.
    public func wait<Result>(for body: (inout Value) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&value) { return result }
            pthread_cond_wait(changed, mutex)
        }
    }

    /// Wakes one of the threads that wait, if any does.
    public func wakeOne() { pthread_cond_signal(changed) }

    /// Wakes all threads that wait.
    public func wakeAll() { pthread_cond_broadcast(changed) }
}
