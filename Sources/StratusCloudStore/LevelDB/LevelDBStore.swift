import Glibc
import StratusWorkers

/// A store in the directory `stratus.leveldb` of a directory that no other process uses.
///
/// LevelDB appends what is written to a log, which is synced with each commit, and later writes it as sorted tables,
/// so that random keys cost a save next to nothing. One thread runs all transactions that wait, while another makes
/// durable what was run before, with one sync. Readers see snapshots of what is durable and never wait. Every block of the tables and every write in the log is
/// checksummed; damage is reported as ``StoreError/Code/corrupted``; from then on, and after a commit whose outcome is
/// unknown, nothing more is written.
public final class LevelDBStore: CloudStore {
    /// Shared by all stores of the process, for callers on threads that must not block.
    private static let readerThreads = WorkerPool(threads: LevelDBLimits.readerThreads)

    let holder: LevelDBHolder
    private let numbers = PartitionNumbers()
    private let health = StoreHealth()
    private let counter = StatisticsCounter()
    let committer: LevelDBCommitter
    private let threads: DiskThreads

    /// Whether a directory holds such a store.
    public static func exists(in directory: String) -> Bool { LevelDBDirectory.exists(in: directory) }

    /// Opens the store in an existing directory, or makes a new one there. Blocks.
    /// - Throws: ``StoreError`` if it is locked, of a newer format, damaged, or cannot be written.
    public init(directory: String, options: Options = Options()) throws(StoreError) {
        let lock = try DirectoryLock(directory: directory)
        holder = try Self.open(LevelDBDirectory(in: directory), options)
        committer = try LevelDBCommitter(holder, health: health, statistics: counter)
        let writer = LevelDBWriter(holder, committer, numbers: numbers, health: health)
        threads = try DiskThreads(writer: writer, readers: Self.readerThreads, counter: counter) { lock.release() }
    }

    private static func open(_ directory: LevelDBDirectory, _ options: Options) throws(StoreError) -> LevelDBHolder {
        let newest = options.migrations.last?.format ?? 0
        let format = try directory.format()
        if let format, format > newest {
            throw StoreError(
                .newerFormat,
                "\(directory.path) has format \(format), but this version of Stratus reads formats up to \(newest): "
                    + "use the version that wrote it, or a newer one")
        }
        let hasDatabase = try directory.hasDatabase()
        // Before the database, which without it would pass for damaged.
        if format == nil { try directory.setFormat(newest) }
        if hasDatabase { try LevelDBManifest.check(directory) }
        if let log = try directory.newestLog() { try LevelDBLogInspection.repair(path: log) }
        var steps = options.migrations.filter { $0.format > format ?? newest }[...]
        while let step = steps.first, step.apply == nil {
            try directory.setFormat(step.format)
            steps.removeFirst()
        }
        let holder = try LevelDBHolder(directory, mayCreate: !hasDatabase, options)
        for step in steps {
            do {
                if let apply = step.apply { try holder.withDatabase { try apply($0) } }
            } catch {
                throw (error as? StoreError) ?? StoreError(.ioFailure, "\(error)")
            }
            try directory.setFormat(step.format)
        }
        return holder
    }

    /// See ``CloudStore/read(_:_:)``. Runs on the calling thread if it is one of a `WorkerPool`.
    public func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result {
        try await threads.read { try self.readHere(partition, body) }
    }

    private func readHere<Result>(
        _ partition: Partition, _ body: (LevelDBReadTransaction) throws -> Result
    ) throws -> Result {
        try withDatabase { database in
            try database.withSnapshot { snapshot in
                let prefix = try numbers.prefix(of: partition) { (partition) throws(StoreError) in
                    try LevelDBPartitions.prefix(of: partition, database, snapshot)
                }
                return try body(LevelDBReadTransaction(database: database, snapshot: snapshot, prefix: prefix))
            }
        }
    }

    /// See ``CloudStore/readTogether(_:workers:_:)``.
    public func readTogether(
        _ partition: Partition, workers: Int, _ body: @escaping @Sendable (any ReadTransaction) throws -> Void
    ) async throws {
        // Not on the caller's thread, which may be one that answers requests.
        try await threads.maintain {
            try self.readHere(partition) { transaction in
                let helpers = self.threads.help(workers - 1) { try body(transaction) }
                let outcome = Result { try body(transaction) }
                // In any case, since the snapshot is theirs, too.
                try helpers.finish()
                try outcome.get()
            }
        }
    }

    /// Runs `body`, which does not use the database, on a thread that may block.
    func onMaintenance<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await threads.maintain(body)
    }

    /// Runs `body` on a thread that may block.
    func onReader<Result: Sendable>(
        _ body: @escaping @Sendable (LevelDBDatabase) throws -> Result
    ) async throws -> Result {
        try await threads.maintain { try self.withDatabase(body) }
    }

    private func withDatabase<Result>(_ body: (LevelDBDatabase) throws -> Result) throws -> Result {
        do {
            return try holder.withDatabase(body)
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
        // Without them the page of metrics is still worth something.
        result.fileSizes = (try? holder.directory.sizes()) ?? [:]
        return result
    }

    /// See ``CloudStore/close()``. Leaves everything in tables, so that opening is quick.
    public func close() async { await threads.close() }
}
