import StratusCSQLite

/// Makes groups of transactions durable, on the writer's connection.
///
/// `@unchecked Sendable`: after it was made it is used by the writer's thread alone.
final class SQLiteWriter: BatchConsumer, @unchecked Sendable {
    private let connection: SQLiteConnection
    private let reader: EntryReader
    private let writer: EntryWriter
    private let begin, commitStatement, rollback: SQLiteStatement
    private let numbers: PartitionNumbers
    private let health: StoreHealth
    private let statistics: StatisticsCounter
    private let readers: ReaderPool
    private let checkpointer: Checkpointer
    private let checkpointPages: Int

    init(
        _ connection: SQLiteConnection, numbers: PartitionNumbers, health: StoreHealth, statistics: StatisticsCounter,
        readers: ReaderPool, checkpointer: Checkpointer, checkpointPages: Int
    ) throws(StoreError) {
        self.connection = connection
        self.checkpointer = checkpointer
        self.numbers = numbers
        self.health = health
        self.statistics = statistics
        self.readers = readers
        self.checkpointPages = checkpointPages
        connection.watchLog()
        reader = try EntryReader(connection)
        writer = try EntryWriter(connection)
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commitStatement = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
    }

    /// Runs the transactions in groups and answers their callers.
    func run(_ writes: [PendingWrite]) {
        var rest = writes[...]
        while !rest.isEmpty {
            runGroup(&rest)
            checkpointIfDue()
        }
    }

    private func runGroup(_ writes: inout ArraySlice<PendingWrite>) {
        do throws(StoreError) {
            if let failure = health.failure { throw failure }
            try begin.run()
        } catch {
            health.noteWrite(error)
            for write in writes { write.answer(error) }
            writes = []
            return
        }
        let group = WriteGroup()
        while group.count < SQLiteLimits.groupCount, group.size < SQLiteLimits.groupSize,
            let write = writes.popFirst()
        {
            group.run(write, base: base)
        }
        let written = group.takeWrites()
        statistics.countWrites(group.count, committed: !written.isEmpty)
        do throws(StoreError) {
            // A body may have met damage and gone on.
            if let failure = health.failure { throw failure }
            try commit(written)
            group.takeAnswers().give(nil)
        } catch {
            health.noteWrite(error)
            undo()
            group.takeAnswers().give(error)
        }
    }

    private func base(_ partition: Partition) -> any ReadTransaction {
        do {
            let prefix = try numbers.prefix(of: partition, reader.prefix)
            return WriterReadTransaction(
                base: SQLiteReadTransaction(reader: reader, prefix: prefix), health: health)
        } catch {
            health.noteRead(error)
            return FailedReadTransaction(failure: error)
        }
    }

    private func commit(_ partitions: [Partition: FinishedWrites]) throws(StoreError) {
        var added: [(Partition, [UInt8])] = []
        var work: [(number: [UInt8], writes: FinishedWrites)] = []
        for (partition, writes) in partitions.sorted(by: { $0.key.name < $1.key.name }) {
            if let prefix = try numbers.prefix(of: partition, reader.prefix) {
                work.append((prefix, writes))
                continue
            }
            let prefix = RowKey.prefix(partition: try writer.add(partition))
            added.append((partition, prefix))
            work.append((prefix, writes))
        }
        work.sort { Key($0.number) < Key($1.number) }
        for (prefix, writes) in work { try writer.apply(writes, prefix) }
        try commitStatement.run()
        for (partition, prefix) in added { numbers.remember(partition, prefix) }
    }

    /// SQLite itself has undone a transaction in which it ran out of room or met a failing disk.
    private func undo() {
        guard connection.isInTransaction else { return }
        do throws(StoreError) { try rollback.run() } catch { health.noteWrite(error) }
    }

    private func checkpointIfDue() {
        guard connection.pagesInLog >= checkpointPages, health.failure == nil else { return }
        let isTooLong = connection.pagesInLog >= checkpointPages * SQLiteLimits.logFactor
        guard checkpointer.takeDone() || isTooLong else { return checkpointer.start() }
        do throws(StoreError) {
            _ = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        } catch {
            // Without room in the file the log keeps growing, until a commit has no room either.
            health.noteWrite(error)
        }
    }

    /// Leaves everything in the file and no log, unless the store has failed.
    func finish() {
        // The writer's connection is the last one, so closing it removes the log.
        readers.close()
        checkpointer.stop()
        guard health.failure == nil else {
            connection.disableCheckpointOnClose()
            return
        }
        do throws(StoreError) {
            _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        } catch {
            health.noteWrite(error)
            connection.disableCheckpointOnClose()
        }
    }
}
