import Foundation

extension SQLiteRowStore {
    func lastTransaction() throws -> Int64 { try history { try $0.last() } }

    func transactions(after number: Int64?, includesChanges: Bool) throws -> [StoredTransaction]? {
        try history { tables in
            if let number, try tables.isExpired(number) { return nil }
            return try tables.transactions(after: number ?? 0, includesChanges: includesChanges)
        }
    }

    func deleteHistory(before number: Int64) throws { try history { try $0.delete(before: number) } }

    func deleteHistory(before date: Date) throws { try history { try $0.delete(before: date) } }

    private func history<Value>(_ body: (HistoryTables) throws -> Value) throws -> Value {
        guard recordsHistory else { throw StoreFailure(.misuse, "the store keeps no history") }
        return try access { try body(HistoryTables(file: $0, layout: layout)) }
    }
}
