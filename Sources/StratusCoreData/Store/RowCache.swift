import Foundation
import Synchronization

/// The rows of a store that objects of contexts use.
///
/// A row stays as long as an object with its ID is registered in some context.
final class RowCache: Sendable {
    private struct Entry {
        var row: StoredRow?
        var users: Int32 = 0
        /// Tenths of a second between the opening of the store and the moment when the row was read.
        var time: UInt32 = 0
    }

    /// Rows by their primary keys. Entities that inherit from each other share keys.
    private typealias Table = [Int64: Entry]

    private let roots: [String: Int]
    private let tables: Mutex<[Table]>
    private let opening = ContinuousClock.now
    private let observer = Mutex<(@Sendable (RowKey, Bool) -> Void)?>(nil)
    private let isObserved = Atomic(false)

    init(_ layout: StoreLayout) {
        let names = Set(layout.entities.values.map(\.root)).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        roots = layout.entities.mapValues { numbers[$0.root] ?? 0 }
        tables = Mutex(Array(repeating: [:], count: names.count))
    }

    /// Calls a closure with the row and true when the first object begins to use a row, and with false after the last.
    func observe(_ body: @escaping @Sendable (RowKey, Bool) -> Void) {
        observer.withLock { $0 = body }
        isObserved.store(true, ordering: .releasing)
    }

    private func notify(_ key: RowKey, isUsed: Bool) {
        guard isObserved.load(ordering: .acquiring) else { return }
        observer.withLock { $0 }?(key, isUsed)
    }

    /// Counts an object that uses a row.
    func use(_ key: RowKey) {
        guard let root = roots[key.entity] else { return }
        let users = tables.withLock { Self.increment(&$0[root][key.primaryKey, default: Entry()].users) }
        if users == 1 { notify(key, isUsed: true) }
    }

    private static func increment(_ count: inout Int32) -> Int32 {
        count += 1
        return count
    }

    /// Ends the use by an object.
    func endUse(_ key: RowKey) {
        guard let root = roots[key.entity] else { return }
        // The row is released after the lock.
        let last = tables.withLock { tables -> Entry? in
            guard let users = tables[root][key.primaryKey]?.users else { return nil }
            guard users <= 1 else {
                tables[root][key.primaryKey]?.users = users - 1
                return nil
            }
            return tables[root].removeValue(forKey: key.primaryKey)
        }
        if last != nil { notify(key, isUsed: false) }
    }

    /// Keeps rows that objects use, unless a newer one is known.
    func put(_ rows: some Sequence<StoredRow>) {
        let now = time
        // Most rows follow others of their entity.
        var last: (entity: String, root: Int)?
        tables.withLock { tables in
            for row in rows {
                if last?.entity != row.key.entity { last = roots[row.key.entity].map { (row.key.entity, $0) } }
                guard let root = last?.root, let index = tables[root].index(forKey: row.key.primaryKey) else {
                    continue
                }
                let entry = tables[root].values[index]
                guard entry.row.map({ $0.version <= row.version }) ?? true else { continue }
                tables[root].values[index] = Entry(row: row, users: entry.users, time: now)
            }
        }
    }

    /// Returns a row that was read within an interval; nil for any interval.
    func row(_ key: RowKey, notOlderThan interval: TimeInterval? = nil) -> StoredRow? {
        guard let root = roots[key.entity] else { return nil }
        let entry = tables.withLock { $0[root][key.primaryKey] }
        guard let entry, let row = entry.row, row.key.entity == key.entity else { return nil }
        if let interval, Double(time &- entry.time) >= interval * 10 { return nil }
        return row
    }

    /// Forgets rows, which are then read again from the store.
    func forget(_ keys: some Sequence<RowKey>) {
        tables.withLock { tables in
            for key in keys {
                if let root = roots[key.entity] { tables[root][key.primaryKey]?.row = nil }
            }
        }
    }

    private var time: UInt32 {
        let elapsed = ContinuousClock.now - opening
        return UInt32(
            truncatingIfNeeded: elapsed.components.seconds * 10 + elapsed.components.attoseconds
                / 100_000_000_000_000_000)
    }
}
