import Glibc
import StratusCSQLite
import StratusWorkers
import Synchronization

/// A store in one file, `stratus.db`, of a directory that no other process uses.
///
/// One thread writes: it runs all transactions that wait, and makes them durable with one sync. Readers see snapshots
/// and never wait for it. Damage to the file is found by a checksum on each page and reported as
/// ``StoreError/Code/corrupted``; from then on, and after a commit whose outcome is unknown, nothing more is written.
public final class SQLiteStore: CloudStore {
    static let fileName = "stratus.db"
    /// Shared by all stores of the process, for callers on threads that must not block.
    private static let readerThreads = WorkerPool(threads: SQLiteLimits.readerThreads)

    let path: String
    private let options: Options
    /// Tells copies apart that are made at the same time.
    let copyNumber = Atomic<Int>(0)
    private let readers: ReaderPool
    private let numbers = PartitionNumbers()
    private let health = StoreHealth()
    private let counter = StatisticsCounter()
    private let threads: DiskThreads

    /// Whether a directory holds such a store.
    public static func exists(in directory: String) -> Bool { access(directory + "/" + fileName, F_OK) == 0 }

    /// Opens the store in an existing directory, or makes a new one there. Blocks.
    /// - Throws: ``StoreError`` if it is locked, of a newer format, damaged, or cannot be written.
    public init(directory: String, options: Options = Options()) throws(StoreError) {
        let lock = try DirectoryLock(directory: directory)
        let path = directory + "/" + Self.fileName
        try CheckedFileSystem.register()
        let newest = options.migrations.last?.version ?? 0
        if let header = try FileHeader(path: path) { try header.check(newest: newest) }
        try LogInspection.check(path: path + "-wal")
        let connection = try Self.connect(path, options, cacheSize: options.writerCacheSize)
        try Self.prepareFile(connection, options)
        readers = ReaderPool(limit: options.readers) { () throws(StoreError) in
            try SQLiteReader(Self.connect(path, options, cacheSize: options.readerCacheSize))
        }
        let checkpointer = Checkpointer(
            try Self.connect(path, options, cacheSize: SQLiteLimits.checkpointerCacheSize), health: health)
        let writer = try SQLiteWriter(
            connection, numbers: numbers, health: health, statistics: counter, readers: readers,
            checkpointer: checkpointer, checkpointPages: options.checkpointPages)
        self.path = path
        self.options = options
        try Self.removeCopies(in: directory)
        threads = try DiskThreads(writer: writer, readers: Self.readerThreads, counter: counter) { lock.release() }
    }

    /// See ``CloudStore/read(_:_:)``. Runs on the calling thread if it is one of a `WorkerPool`.
    public func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await threads.read { try self.readHere(partition, body) }
    }

    /// Runs `body` with a connection that has no transaction open, on a thread that may block.
    func onReader<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) async throws -> Result {
        try await threads.maintain {
            do {
                return try self.readers.withReader { try body($0.connection) }
            } catch {
                self.health.noteRead(error)
                throw error
            }
        }
    }

    /// A new file that is filled before it counts, so nothing of it has to be durable.
    func connectCopy(_ copy: String) throws(StoreError) -> SQLiteConnection {
        let connection = try Self.connect(copy, options, cacheSize: SQLiteLimits.checkpointerCacheSize)
        try connection.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        return connection
    }

    /// What a backup left that a crash cut.
    private static func removeCopies(in directory: String) throws(StoreError) {
        guard let stream = opendir(directory) else { throw StoreError(system: errno, while: "listing \(directory)") }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(fileName + "."), name.hasSuffix(".copy") { unlink("\(directory)/\(name)") }
        }
    }

    private func readHere<Result>(
        _ partition: Partition, _ body: (any ReadTransaction) throws -> Result
    ) throws -> Result {
        do {
            return try readers.withReader { reader in
                try reader.transaction { entries in
                    let prefix = try numbers.prefix(of: partition, entries.prefix)
                    return try body(SQLiteReadTransaction(reader: entries, prefix: prefix))
                }
            }
        } catch {
            health.noteRead(error)
            throw error
        }
    }

    /// See ``CloudStore/write(_:_:)``. A transaction that waits is run even if its caller is cancelled.
    public func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await threads.write(partition, body)
    }

    /// See ``CloudStore/statistics()``.
    public func statistics() -> StoreStatistics {
        var result = counter.current
        for suffix in ["", "-wal"] {
            var status = stat()
            if stat(path + suffix, &status) == 0 {
                result.fileSizes[Self.fileName + suffix] = UInt64(status.st_size)
            }
        }
        return result
    }

    /// See ``CloudStore/close()``. Leaves everything in one file, without a log.
    public func close() async { await threads.close() }
}
