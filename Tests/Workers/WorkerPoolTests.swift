import Testing
import Workers

@Suite struct WorkerPoolTests {
    @Test func allWorkIsDoneWhateverTheThreadsAndTheBursts() async throws {
        for threads in [1, 2, 5] {
            let pool = WorkerPool(threads: threads)
            let done = Lock(0)
            for burst in [1, 2, 3, 100, 5_000] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<burst {
                        group.addTask { try await pool.run { done.withLock { $0 += 1 } } }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(done.withLock { $0 } == 5_106)
        }
    }

    /// Work that waits for other work of the pool needs the sleeping threads to be woken one by one.
    @Test func asManyPiecesRunAtOnceAsThereAreThreads() async throws {
        let pool = WorkerPool(threads: 4)
        let arrived = Lock(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await pool.run {
                        arrived.withLock { $0 += 1 }
                        while arrived.withLock({ $0 }) < 4 {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(arrived.withLock { $0 } == 4)
    }

    @Test func tasksStayOnThePool() async {
        let pool = WorkerPool(threads: 1)
        #expect(!WorkerPool.isCurrentThread)
        let task = Task(executorPreference: pool) {
            let before = WorkerPool.isCurrentThread
            await Task.yield()
            return before && WorkerPool.isCurrentThread
        }
        #expect(await task.value)
    }

    @Test func errorsComeBack() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await WorkerPool(threads: 1).run { throw Failure() } }
    }
}
