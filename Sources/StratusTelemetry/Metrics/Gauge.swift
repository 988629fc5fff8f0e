import Synchronization

/// A number that goes up and down: connections, bytes in use.
public final class Gauge: Sendable {
    private let number = AtomicDouble()

    init() {}

    /// The number now.
    public var value: Double { number.value }

    /// Replaces the number.
    public func set(_ value: Double) { number.set(value) }

    /// Adds `amount`, which may be negative.
    public func add(_ amount: Double) { number.add(amount) }
}

/// A floating-point number that several threads may change at once.
final class AtomicDouble: Sendable {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (done, current) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if done { return }
            old = current
        }
    }
}
