import StratusWorkers

/// A connection that reads.
///
/// `@unchecked Sendable`: the pool hands it to one thread at a time.
final class SQLiteReader: @unchecked Sendable {
    let connection: SQLiteConnection
    let entries: EntryReader
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(StoreError) {
        self.connection = connection
        entries = try EntryReader(connection)
        begin = try connection.prepare("BEGIN")
        commit = try connection.prepare("COMMIT")
    }

    /// Runs `body` on a snapshot, which the first statement takes.
    func transaction<Result>(_ body: (EntryReader) throws -> Result) throws -> Result {
        try begin.run()
        do {
            let result = try body(entries)
            try commit.run()
            return result
        } catch {
            // A failing disk has ended the transaction already.
            if connection.isInTransaction { try commit.run() }
            throw error
        }
    }
}

/// Connections that read, made when they are needed, up to a number; further readers wait.
final class ReaderPool: Sendable {
    private struct Readers {
        var idle: [SQLiteReader] = []
        var count = 0
        var isClosed = false
    }

    /// What somebody who wants to read is given.
    private enum Turn {
        case reader(SQLiteReader)
        case newReader
        case refusal
    }

    private let readers = Monitor(Readers())
    private let limit: Int
    private let make: @Sendable () throws(StoreError) -> SQLiteReader

    init(limit: Int, make: @escaping @Sendable () throws(StoreError) -> SQLiteReader) {
        precondition(limit > 0, "a store needs at least one reader")
        self.limit = limit
        self.make = make
    }

    /// Runs `body` with a connection that no other thread uses; may wait for one.
    func withReader<Result>(_ body: (SQLiteReader) throws -> Result) throws -> Result {
        let reader = try take()
        defer { give(reader) }
        return try body(reader)
    }

    /// Waits for the readers under way and closes the connections; later calls are refused.
    func close() {
        readers.withLock { $0.isClosed = true }
        readers.wakeAll()
        let closing: [SQLiteReader] = readers.wait { readers in
            guard readers.count == readers.idle.count else { return nil }
            defer { readers = Readers(isClosed: true) }
            return readers.idle
        }
        _ = consume closing
    }

    private func take() throws(StoreError) -> SQLiteReader {
        switch readers.wait(for: nextTurn) {
        case .reader(let reader): return reader
        case .refusal: throw StoreError.isClosed
        case .newReader:
            do {
                return try make()
            } catch {
                readers.withLock { $0.count -= 1 }
                readers.wakeAll()
                throw error
            }
        }
    }

    private func nextTurn(_ readers: inout Readers) -> Turn? {
        if readers.isClosed { return .refusal }
        if let reader = readers.idle.popLast() { return .reader(reader) }
        guard readers.count < limit else { return nil }
        readers.count += 1
        return .newReader
    }

    private func give(_ reader: SQLiteReader) {
        readers.withLock { $0.idle.append(reader) }
        // Everybody, because the one that closes the pool may wait beside readers.
        readers.wakeAll()
    }
}
