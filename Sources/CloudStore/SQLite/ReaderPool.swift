import Glibc

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
///
/// `@unchecked Sendable`: the variables are touched only while `mutex` is held, and the two pointers never change.
final class ReaderPool: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let returned: UnsafeMutablePointer<pthread_cond_t>
    private var idle: [SQLiteReader] = []
    private var count = 0
    private var isClosed = false
    private let limit: Int
    private let make: @Sendable () throws(StoreError) -> SQLiteReader

    init(limit: Int, make: @escaping @Sendable () throws(StoreError) -> SQLiteReader) {
        precondition(limit > 0, "a store needs at least one reader")
        self.limit = limit
        self.make = make
        mutex = .allocate(capacity: 1)
        returned = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(returned, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(returned)
        mutex.deallocate()
        returned.deallocate()
    }

    /// Runs `body` with a connection that no other thread uses; may wait for one.
    func withReader<Result>(_ body: (SQLiteReader) throws -> Result) throws -> Result {
        let reader = try take()
        defer { give(reader) }
        return try body(reader)
    }

    /// Waits for the readers under way and closes the connections; later calls are refused.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(returned)
        while count > idle.count { pthread_cond_wait(returned, mutex) }
        let closing = idle
        idle = []
        count = 0
        pthread_mutex_unlock(mutex)
        _ = consume closing
    }

    private func take() throws(StoreError) -> SQLiteReader {
        pthread_mutex_lock(mutex)
        while idle.isEmpty, count == limit, !isClosed { pthread_cond_wait(returned, mutex) }
        if isClosed {
            pthread_mutex_unlock(mutex)
            throw StoreError.isClosed
        }
        if let reader = idle.popLast() {
            pthread_mutex_unlock(mutex)
            return reader
        }
        count += 1
        pthread_mutex_unlock(mutex)
        do {
            return try make()
        } catch {
            pthread_mutex_lock(mutex)
            count -= 1
            pthread_cond_broadcast(returned)
            pthread_mutex_unlock(mutex)
            throw error
        }
    }

    private func give(_ reader: SQLiteReader) {
        pthread_mutex_lock(mutex)
        idle.append(reader)
        // Everybody, because the one that closes the pool may wait beside readers.
        pthread_cond_broadcast(returned)
        pthread_mutex_unlock(mutex)
    }
}
