import Foundation
import Glibc
import StratusSQLite
import Synchronization

/// A store of rows in memory that is read from a file as a whole, and written to it as a whole with each save.
///
/// The file is a database as that of a SQLite store, and not in Apple's format for binary stores.
final class BinaryRowStore: RowStore {
    private let rows: SQLiteRowStore
    private let path: String
    /// The file as it was read or written last. The lock keeps a change and the writing of the file together.
    private let known: Mutex<FileState?>

    init(path: String, entities: [NSEntityDescription], options: SQLiteRowStore.Options) throws {
        self.path = path
        var options = options
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || !options.isReadOnly else { throw StoreFailure(.missing, "there is no file \(path)") }
        options.contents = exists ? path : nil
        known = Mutex(FileState(path))
        rows = try SQLiteRowStore(path: ":memory:", entities: entities, options: options)
        if !exists { try known.withLock { try write(&$0) } }
    }

    var identifier: String { rows.identifier }
    var layout: StoreLayout { rows.layout }
    var isReadOnly: Bool { rows.isReadOnly }
    var recordsHistory: Bool { rows.recordsHistory }
    var isInMemory: Bool { false }

    func metadata() throws -> [String: Any] { try rows.metadata() }
    func obtainKeys(_ counts: [String: Int]) throws -> [String: [RowKey]] { try rows.obtainKeys(counts) }
    func row(_ key: RowKey) throws -> StoredRow? { try rows.row(key) }
    func rows(_ keys: [RowKey]) throws -> [RowKey: StoredRow] { try rows.rows(keys) }
    func destinations(of relationship: String, from key: RowKey) throws -> [RowKey] {
        try rows.destinations(of: relationship, from: key)
    }
    func fetch(_ plan: FetchPlan) throws -> FetchedRows { try rows.fetch(plan) }
    func lastTransaction() throws -> Int64 { try rows.lastTransaction() }
    func transactions(after number: Int64?, includesChanges: Bool) throws -> [StoredTransaction]? {
        try rows.transactions(after: number, includesChanges: includesChanges)
    }
    func move(to path: String, willClose: () -> Void) throws { try rows.move(to: path, willClose: willClose) }
    func hasChangedElsewhere() throws -> Bool { try rows.hasChangedElsewhere() }
    func snapshot() throws -> (any RowStore)? { nil }
    func close() { rows.close() }

    func setMetadata(_ metadata: [String: Any]) throws { try changing { try rows.setMetadata(metadata) } }
    func save(_ changes: RowChanges) throws -> SavedRows { try changing { try rows.save(changes) } }
    func deleteHistory(before number: Int64) throws { try changing { try rows.deleteHistory(before: number) } }
    func deleteHistory(before date: Date) throws { try changing { try rows.deleteHistory(before: date) } }

    /// Makes a change and writes the file. If that is not possible, the change is undone by reading the file again, or the
    /// store is closed.
    private func changing<Value: Sendable>(_ change: () throws -> Value) throws -> Value {
        try known.withLock { known in
            let value = try change()
            do {
                try write(&known)
            } catch {
                do {
                    known = FileState(path)
                    try rows.access { try $0.takeContents(of: path) }
                } catch {
                    rows.close()
                }
                throw error
            }
            return value
        }
    }

    /// Writes another file, which takes the place of the former one when it is on the disk.
    private func write(_ known: inout FileState?) throws {
        let draft = path + "-" + UUID().uuidString
        do {
            try rows.access { file in
                let destination = try SQLiteConnection(path: draft)
                try file.connection.copyContents(to: destination)
            }
            guard FileState(path) == known else {
                throw StoreFailure(.replaced, "'\(path)' has been changed by others since it was read")
            }
            let written = FileState(draft)
            guard rename(draft, path) == 0 else {
                throw StoreFailure(.inputOutput, "'\(path)' cannot be replaced: \(String(cString: strerror(errno)))")
            }
            known = written
        } catch {
            unlink(draft)
            throw error
        }
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
        defer { if folder >= 0 { Glibc.close(folder) } }
        guard folder >= 0, fsync(folder) == 0 else {
            throw StoreFailure(.inputOutput, "the folder of '\(path)' cannot be written to the disk")
        }
    }
}

/// The facts that differ when a file has been written or replaced.
private struct FileState: Equatable {
    private let inode: UInt64
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Returns nil for a file that does not exist.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        inode = UInt64(facts.st_ino)
        size = facts.st_size
        (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
}

extension StoreFile {
    /// Replaces the contents by those of another file.
    func takeContents(of path: String) throws {
        try SQLiteConnection(path: path, isReadOnly: true).copyContents(to: connection)
    }
}
