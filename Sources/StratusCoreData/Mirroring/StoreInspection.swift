import Foundation
import StratusSQLite

/// The file of a SQLite store as it is, read without its model and without changing anything. Programs may have it open.
package struct StoreInspection {
    /// The identifier of the store.
    package let identifier: String
    /// The names of the entities of the store.
    package let entityNames: Set<String>
    /// The number of the last transaction of the history; nil for a store that keeps none.
    package let lastTransaction: Int64?
    /// The file, in a transaction that sees it as it was at one moment.
    package let transaction: StoreTransaction

    private init(_ file: StoreFile) throws {
        identifier = try file.header().identifier
        entityNames = Set(try file.entityNumbers().keys)
        lastTransaction = try HistoryTables.exist(in: file) ? HistoryTables.last(in: file) : nil
        transaction = StoreTransaction(file: file)
    }

    /// Returns the result of a block that reads a store.
    /// - Throws: An error of Cocoa's domain: with the code `fileReadNoSuchFile` without a file, and `fileReadCorruptFile` for
    ///   one that is no store.
    package static func reading<Value>(_ path: String, _ body: (StoreInspection) throws -> Value) throws -> Value {
        try CoreDataError.inCocoa {
            do {
                return try readingFile(path) { try body(StoreInspection($0)) }
            } catch let error as SQLiteError {
                throw StoreFailure(error)
            }
        }
    }

    private static func readingFile<Value>(_ path: String, _ body: (StoreFile) throws -> Value) throws -> Value {
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreFailure(.missing, "there is no file \(path)")
        }
        // A connection to a file with a log makes files beside it, even if it only reads. A file without a log is not in
        // use, and is read without them.
        if !isInUse(path) {
            let file = try StoreFile(path: path, isReadOnly: true, isUnchanging: true, timeout: .zero)
            let result = Result { try body(file) }
            // A program may have opened it meanwhile.
            if !isInUse(path) { return try result.get() }
        }
        let file = try StoreFile(path: path, isReadOnly: true, timeout: .seconds(10))
        try file.connection.execute("BEGIN")
        defer {
            // The connection ends right after.
            try? file.connection.execute("COMMIT")
        }
        return try body(file)
    }

    private static func isInUse(_ path: String) -> Bool {
        ["-wal", "-journal"].contains { FileManager.default.fileExists(atPath: path + $0) }
    }
}
