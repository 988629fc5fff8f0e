import Synchronization

/// A number that only grows: events since the start.
public final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    init() {}

    /// The events so far.
    public var value: UInt64 { count.load(ordering: .relaxed) }

    /// Adds `amount` events.
    public func increment(by amount: UInt64 = 1) { count.wrappingAdd(amount, ordering: .relaxed) }
}
