/// Makes groups of transactions durable.
///
/// `@unchecked Sendable`: after it was made it is used by the writer's thread alone.
final class LevelDBWriter: GroupWriter, @unchecked Sendable {
    private let holder: LevelDBHolder
    private let numbers: PartitionNumbers
    private let health: StoreHealth
    private let statistics: StatisticsCounter
    /// Whether a write has failed, after which the database must be opened again.
    private var hasFailed = false
    /// Used again for each group, as long as it is small.
    private var batch = WriteBatch()

    init(_ holder: LevelDBHolder, numbers: PartitionNumbers, health: StoreHealth, statistics: StatisticsCounter) {
        self.holder = holder
        self.numbers = numbers
        self.health = health
        self.statistics = statistics
    }

    /// Runs the transactions in groups and answers their callers.
    func run(_ writes: consuming [PendingWrite]) {
        // What was run goes out of the array, and so is freed by its caller, who has it, too.
        var rest = consume writes
        rest.reverse()
        while !rest.isEmpty { runGroup(&rest) }
    }

    /// - Parameter writes: the next one last.
    private func runGroup(_ writes: inout [PendingWrite]) {
        let group = WriteGroup()
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
                statistics.countWrites(group.count, committed: !written.isEmpty)
                // A body may have met damage and gone on.
                if let failure = health.failure { throw failure }
                try commit(written, database)
            }
            group.answer(nil)
        } catch {
            let failure = (error as? StoreError) ?? StoreError(.ioFailure, "\(error)")
            health.noteWrite(failure)
            // Those that were run; if none was, the store cannot be written at all.
            if group.count == 0 {
                for write in writes.reversed() { write.refuse(failure) }
                writes = []
            } else {
                group.answer(failure)
            }
        }
    }

    private func recover() throws(StoreError) {
        guard hasFailed else { return }
        try holder.reopen()
        hasFailed = false
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

    private func commit(_ partitions: [Partition: FinishedWrites], _ database: LevelDBDatabase) throws(StoreError) {
        if batch.size > LevelDBLimits.keptBatchSize { batch = WriteBatch() } else { batch.removeAll() }
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
        guard !batch.isEmpty else { return }
        do throws(StoreError) {
            try database.write(batch)
        } catch {
            hasFailed = true
            throw error
        }
        for (partition, prefix) in added { numbers.remember(partition, prefix) }
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
    func finish() { holder.close(failed: health.failure != nil || hasFailed) }
}
