import Foundation
import StratusSQLite

/// A transaction on the file of a store, for tables that stand beside Core Data's.
package struct StoreTransaction {
    let file: StoreFile

    /// Returns a prepared statement, which the connection keeps.
    package func statement(_ sql: String) throws -> SQLiteStatement { try file.statement(sql) }

    /// Returns the names of the tables of the file.
    package func tableNames() throws -> Set<String> { try file.tableNames() }
}

/// Work inside the transaction of a save. An error that it throws undoes the save.
package typealias StoreWork = @Sendable (StoreTransaction) throws -> Void

extension NSManagedObjectContext {
    /// Saves the changes of the context, and does further work in the same transaction of a store. If the save has
    /// nothing to write to the store, the work has a transaction of its own.
    package func save(to store: NSPersistentStore, with work: @escaping StoreWork) throws {
        storeWork = (store, work)
        defer { storeWork = nil }
        try save()
        if storeWork != nil { try store.transaction(work) }
    }
}

extension NSPersistentStore {
    /// Returns the result of a block that runs in a transaction that writes to the file of the store.
    package func transaction<Value>(_ body: (StoreTransaction) throws -> Value) throws -> Value {
        try withFile { file in try file.connection.transaction { try body(StoreTransaction(file: file)) } }
    }

    /// Returns the result of a block that only reads the file of the store.
    package func reading<Value>(_ body: (StoreTransaction) throws -> Value) throws -> Value {
        try withFile { try body(StoreTransaction(file: $0)) }
    }

    private func withFile<Value>(_ body: (StoreFile) throws -> Value) throws -> Value {
        try CoreDataError.inCocoa {
            guard let rows = rows as? SQLiteRowStore else {
                throw StoreFailure(.unsupported, "the store is not in a SQLite file")
            }
            return try rows.access { file in
                // Objects of a store that is being removed seem not to exist. Nothing may follow from that.
                guard persistentStoreCoordinator != nil else { throw StoreFailure(.closed, "the store is closed") }
                return try body(file)
            }
        }
    }
}
