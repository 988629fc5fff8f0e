/// Runs transactions in groups, and hands each group to be made durable while the next one runs.
///
/// `@unchecked Sendable`: after it was made it is used by the writer's thread alone.
final class LevelDBWriter: BatchConsumer, @unchecked Sendable {
    private let holder: LevelDBHolder
    private let committer: LevelDBCommitter
    private let numbers: PartitionNumbers
    private let health: StoreHealth
    /// Whether a write could not be appended, after which the database must be opened again.
    private var hasFailed = false
    /// Used again for each group, as long as it is small.
    private var batch = WriteBatch()

    init(_ holder: LevelDBHolder, _ committer: LevelDBCommitter, numbers: PartitionNumbers, health: StoreHealth) {
        self.holder = holder
        self.committer = committer
        self.numbers = numbers
        self.health = health
    }

    deinit { committer.close() }

    /// Runs the transactions in groups. Their callers are answered when what they wrote is durable.
    func run(_ writes: consuming [PendingWrite]) {
        // What was run goes out of the array, and so is freed by its caller, who has it, too.
        var rest = consume writes
        rest.reverse()
        while !rest.isEmpty { runGroup(&rest) }
    }

    /// - Parameter writes: the next one last.
    private func runGroup(_ writes: inout [PendingWrite]) {
        let group = WriteGroup()
        var operations = 0
        var failure: StoreError?
        committer.waitForRoom()
        do {
            if let failure = health.failure { throw failure }
            try recover()
            try holder.withDatabase { database in
                while group.count < LevelDBLimits.groupCount, group.size < LevelDBLimits.groupSize,
                    let write = writes.popLast()
                {
                    group.run(write) { base($0, database) }
                }
                let written = group.takeWrites()
                // A body may have met damage and gone on.
                if let failure = health.failure { throw failure }
                operations = try append(written, database)
            }
        } catch {
            let thrown = (error as? StoreError) ?? StoreError(.ioFailure, "\(error)")
            health.noteWrite(thrown)
            // If none was run, the store cannot be written at all.
            if group.count == 0 {
                for write in writes.reversed() { write.answer(thrown) }
                writes = []
                return
            }
            failure = thrown
        }
        let size = group.size
        committer.add(.init(answers: group.takeAnswers(), size: size, operations: operations, failure: failure))
    }

    /// Opens the database again without what could not be made durable.
    private func recover() throws(StoreError) {
        guard hasFailed || committer.hasFailed else { return }
        committer.waitUntilIdle()
        if let failure = health.failure { throw failure }
        numbers.forgetAll()
        try holder.reopen()
        hasFailed = false
        committer.forgetFailure()
    }

    private func base(_ partition: Partition, _ database: LevelDBDatabase) -> any ReadTransaction {
        do {
            let prefix = try numbers.prefix(of: partition) { (partition) throws(StoreError) in
                try LevelDBPartitions.prefix(of: partition, database, nil)
            }
            let transaction = LevelDBReadTransaction(database: database, snapshot: nil, prefix: prefix)
            return WriterReadTransaction(base: transaction, health: health)
        } catch {
            health.noteRead(error)
            return FailedReadTransaction(failure: error)
        }
    }

    /// - Returns: the number of operations appended; 0 if nothing was written.
    private func append(
        _ partitions: [Partition: FinishedWrites], _ database: LevelDBDatabase
    ) throws(StoreError) -> Int {
        if batch.size > LevelDBLimits.keptBatchSize { batch = WriteBatch() } else { batch.removeAll() }
        LoggedWrite.begin(batch, operationsNotDurable: committer.waitingOperations)
        let countBefore = batch.count
        var added: [(Partition, [UInt8])] = []
        for (partition, writes) in partitions {
            let known = try numbers.prefix(of: partition) { (partition) throws(StoreError) in
                try LevelDBPartitions.prefix(of: partition, database, nil)
            }
            let prefix: [UInt8]
            if let known {
                prefix = known
            } else {
                let number = try LevelDBPartitions.nextNumber(database) + Int64(added.count)
                LevelDBPartitions.add(partition, number, to: batch)
                prefix = RowKey.prefix(partition: number)
                added.append((partition, prefix))
            }
            try add(writes, prefix, database)
        }
        guard batch.count > countBefore else { return 0 }
        do throws(StoreError) {
            try database.append(batch)
        } catch {
            hasFailed = true
            throw error
        }
        for (partition, prefix) in added { numbers.remember(partition, prefix) }
        return batch.count
    }

    /// Puts into the batch what is written to a partition.
    private func add(
        _ writes: FinishedWrites, _ prefix: [UInt8], _ database: LevelDBDatabase
    ) throws(StoreError) {
        let rows = LevelDBReadTransaction(database: database, snapshot: nil, prefix: prefix)
        for range in writes.clearedRanges {
            try rows.forEachRow(prefix, range, limit: .max, reverse: false) { key, _ in
                batch.clear(row: key)
                return true
            }
        }
        writes.forEach { key, value in
            if let value { batch.set(prefix, key, value) } else { batch.clear(prefix, key) }
        }
    }

    /// Leaves no log to be replayed, unless the store has failed.
    func finish() {
        committer.waitUntilIdle()
        holder.close(failed: health.failure != nil || hasFailed || committer.hasFailed)
    }
}
