import Foundation

extension SQLiteRowStore {
    /// The number of the last transaction in the history; 0 if there was none.
    func lastTransaction() throws -> Int64 { try history { try $0.last() } }

    /// Returns the transactions after a number; nil if some of them have been deleted. With the number 0, all that remain
    /// are returned.
    func transactions(after number: Int64, includesChanges: Bool = true) throws -> [StoredTransaction]? {
        try history { tables in
            if number > 0, try tables.isExpired(number) { return nil }
            return try tables.transactions(after: number, includesChanges: includesChanges)
        }
    }

    /// Deletes the history before a transaction.
    func deleteHistory(before number: Int64) throws { try history { try $0.delete(before: number) } }

    /// Deletes the history before a date.
    func deleteHistory(before date: Date) throws { try history { try $0.delete(before: date) } }

    private func history<Value>(_ body: (HistoryTables) throws -> Value) throws -> Value {
        guard recordsHistory else { throw StoreFailure(.misuse, "the store keeps no history") }
        return try access { try body(HistoryTables(file: $0, layout: layout)) }
    }
}
