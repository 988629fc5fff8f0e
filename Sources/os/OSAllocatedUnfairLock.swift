import Foundation

// `@unchecked Sendable`: the state is only used while the lock is held. A state that is not sendable comes in with
// `uncheckedState`, where the caller promises that nobody else uses it.
/// A lock, and a value that it protects. Copies are the same lock.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private final class Storage {
        let lock = NSLock()
        var state: State

        init(_ state: State) { self.state = state }
    }

    private let storage: Storage

    /// Makes a lock for a value that the caller promises to use only through the lock.
    public init(uncheckedState initialState: State) { storage = Storage(initialState) }

    /// Runs a closure with the value while the lock is held. The caller promises that nothing of the value escapes.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        storage.lock.lock()
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }

    /// Runs a closure with the value while the lock is held.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs a closure with the value if nobody holds the lock; nil otherwise.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        guard storage.lock.try() else { return nil }
        defer { storage.lock.unlock() }
        return try body(&storage.state)
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// Makes a lock for a value.
    public init(initialState: State) { self.init(uncheckedState: initialState) }
}

extension OSAllocatedUnfairLock where State == Void {
    /// Makes a lock without a value.
    public init() { self.init(uncheckedState: ()) }

    /// Waits for the lock and holds it.
    public func lock() { storage.lock.lock() }

    /// Releases the lock, on the thread that holds it.
    public func unlock() { storage.lock.unlock() }

    /// Holds the lock if nobody does, and returns whether it does so now.
    public func lockIfAvailable() -> Bool { storage.lock.try() }

    /// Runs a closure while the lock is held.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Runs a closure while the lock is held. The caller promises that nothing escapes that needs the lock.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        storage.lock.lock()
        defer { storage.lock.unlock() }
        return try body()
    }
}
