/// What a transaction, or a group of them, has written to a partition and not yet handed to the engine.
///
/// A key that was written explicitly counts as written, whatever ranges were cleared: clearing a range drops the
/// writes in it. So to apply an overlay, clear its ranges, then make its writes.
struct WriteOverlay: Sendable {
    /// The new values, nil for keys that were cleared, in ascending order of the keys.
    private(set) var writes = SortedMap<[UInt8]?>()
    private(set) var cleared = KeyRangeSet()

    var isEmpty: Bool { writes.isEmpty && cleared.isEmpty }

    mutating func set(_ key: Key, _ value: [UInt8]) { writes.set(key, value) }

    mutating func clear(_ key: Key) {
        if cleared.contains(key) { writes.remove(key) } else { writes.set(key, nil) }
    }

    mutating func clear(_ range: KeyRange) {
        writes.remove(range)
        cleared.insert(range)
    }

    /// Makes the writes of `later` behind the own ones.
    mutating func absorb(_ later: WriteOverlay) {
        if isEmpty {
            self = later
            return
        }
        for range in later.cleared.ranges { clear(range) }
        for (key, value) in later.writes { make(key, value) }
    }

    /// Makes writes in their order.
    mutating func make(_ later: WriteJournal) {
        if isEmpty {
            writes = SortedMap(ascending: FinishedWrites(later))
        } else {
            later.forEach { make($0, $1) }
        }
    }

    private mutating func make(_ key: Key, _ value: [UInt8]?) {
        if let value { set(key, value) } else { clear(key) }
    }

    /// The value that the overlay gives a key, nil if it cleared it; nil around that if it leaves the key alone.
    func value(of key: Key) -> [UInt8]?? {
        if let write = writes[key] { return .some(write) }
        return cleared.contains(key) ? .some(nil) : nil
    }

    /// Whether any key of the range may differ from what is below the overlay.
    func touches(_ range: KeyRange) -> Bool {
        if !writes.isEmpty, !writes.indices(in: range).isEmpty { return true }
        return !cleared.isEmpty && cleared.gaps(in: range) != [range]
    }
}
