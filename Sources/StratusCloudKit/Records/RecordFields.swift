/// The values of a record under their keys, and which of them the server does not know yet.
struct RecordFields: Sendable {
    private(set) var values: [String: RecordValue] = [:]
    /// The changed keys, each with the number of its latest change.
    private(set) var changes: [String: UInt64] = [:]
    private var changeCount: UInt64 = 0

    init() {}

    /// What the server has.
    init(fetched values: [String: RecordValue]) { self.values = values }

    /// - Parameter isKnown: whether the server may have a value that is not here.
    mutating func set(_ value: RecordValue?, forKey key: String, isKnown: Bool) {
        // The removal of what was never there is no change.
        guard value != nil || values[key] != nil || isKnown || changes[key] != nil else { return }
        values[key] = value
        changeCount += 1
        changes[key] = changeCount
    }

    /// Puts other values that mean the same in the place of some.
    mutating func replace(_ others: [String: RecordValue]) { values.merge(others) { _, other in other } }

    /// Puts back what an archive says.
    mutating func markChanged(_ keys: some Sequence<String>) {
        for key in keys {
            changeCount += 1
            changes[key] = changeCount
        }
    }

    /// Where the changes are now, for ``acknowledge(upTo:)``.
    var mark: UInt64 { changeCount }

    /// The server has what had been changed up to a mark; what was changed since stays to be saved.
    mutating func acknowledge(upTo mark: UInt64) { changes = changes.filter { $0.value > mark } }
}
