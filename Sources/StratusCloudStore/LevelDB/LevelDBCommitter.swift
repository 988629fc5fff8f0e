import StratusWorkers

/// Makes durable what the writer has run, on a thread of its own: while it waits for the disk, the writer runs what comes
/// next, and all that was run meanwhile shares the next sync.
final class LevelDBCommitter: Sendable {
    /// Transactions that were run, and the callers that wait.
    struct RunGroup: Sendable {
        let answers: GroupAnswers
        /// Bytes written.
        let size: Int
        /// What was appended of it to the database.
        let operations: Int
        /// Why nothing of the group counts.
        let failure: StoreError?
    }

    private let progress = Progress()
    private let thread: BatchThread<RunGroup>

    /// Starts the thread.
    init(_ holder: LevelDBHolder, health: StoreHealth, statistics: StatisticsCounter) throws(StoreError) {
        thread = BatchThread(Consumer(progress, holder, health, statistics))
        try thread.start()
    }

    /// Takes what was run; the database has it.
    func add(_ group: RunGroup) {
        progress.begin(group)
        thread.add(group)
    }

    /// Returns when so little waits to be made durable that more may be run.
    func waitForRoom() { progress.wait { $0.groups == 0 || $0.size < LevelDBLimits.groupSize } }

    /// Returns when nothing waits. Only the writer's thread adds, so nothing does until that goes on.
    func waitUntilIdle() { progress.wait { $0.groups == 0 } }

    /// Operations that were appended and are perhaps not durable.
    var waitingOperations: Int { progress.operations }

    /// Whether something that the database holds is not durable and will not be. All that was run on top of it is refused.
    var hasFailed: Bool { progress.failure != nil }

    /// The database was opened again. Nothing may wait.
    func forgetFailure() {
        progress.forgetOperations()
        progress.failure = nil
    }

    /// Ends the thread when nothing waits any more.
    func close() { thread.close() }

    /// The thread's part.
    private final class Consumer: BatchConsumer {
        private let progress: Progress
        private let holder: LevelDBHolder
        private let health: StoreHealth
        private let statistics: StatisticsCounter

        init(
            _ progress: Progress, _ holder: LevelDBHolder, _ health: StoreHealth, _ statistics: StatisticsCounter
        ) {
            (self.progress, self.holder, self.health, self.statistics) = (progress, holder, health, statistics)
        }

        func run(_ batch: consuming [RunGroup]) {
            let groups = consume batch
            let hasWritten = groups.contains { $0.operations > 0 }
            statistics.countWrites(groups.reduce(0) { $0 + $1.answers.count }, committed: hasWritten)
            if hasWritten, progress.failure == nil { sync(groups) }
            let failure = progress.failure
            WakeUps.gathering { for group in groups { group.answers.give(failure ?? group.failure) } }
            progress.end(groups)
        }

        private func sync(_ groups: [RunGroup]) {
            do {
                try holder.withDatabase { try $0.sync() }
                // Before the answers: a write that follows one of them says that what was answered is on disk.
                progress.noteDurable(groups)
            } catch {
                let failure = (error as? StoreError) ?? StoreError(.ioFailure, "\(error)")
                health.noteWrite(failure)
                progress.failure = failure
            }
        }

        func finish() {}
    }
}

/// How much waits to be made durable.
private final class Progress: Sendable {
    struct Waiting {
        var groups = 0
        /// Bytes written.
        var size = 0
        var operations = 0
        var failure: StoreError?
    }

    private let waiting = Monitor(Waiting())

    func begin(_ group: LevelDBCommitter.RunGroup) {
        waiting.withLock {
            $0.groups += 1
            $0.size += group.size
            $0.operations += group.operations
        }
    }

    func end(_ groups: [LevelDBCommitter.RunGroup]) {
        waiting.withLock {
            for group in groups {
                $0.groups -= 1
                $0.size -= group.size
            }
        }
        waiting.wakeAll()
    }

    func noteDurable(_ groups: [LevelDBCommitter.RunGroup]) {
        waiting.withLock { for group in groups { $0.operations -= group.operations } }
    }

    /// Nothing that was appended waits any more, durable or not.
    func forgetOperations() { waiting.withLock { $0.operations = 0 } }

    var operations: Int { waiting.withLock { $0.operations } }

    func wait(until isReached: (Waiting) -> Bool) { waiting.wait { isReached($0) ? () : nil } }

    var failure: StoreError? {
        get { waiting.withLock { $0.failure } }
        set { waiting.withLock { $0.failure = newValue } }
    }
}
