import StratusWorkers
import Testing

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

    /// However much waits in one lane, another's next turn comes after one piece of it.
    @Test func lanesTakeTurns() async throws {
        let pool = WorkerPool(threads: 1, lanes: 16)
        let flood = pool.lane(for: 0)
        let other = try #require((1...1_000).lazy.map { pool.lane(for: $0) }.first { $0 !== flood })
        let order = Lock<[String]>([])
        let isOpen = Lock(false)
        pool.submit { while !isOpen.withLock({ $0 }) {} }
        let tasks = (0..<100).map { _ in
            Task(executorPreference: flood) { order.withLock { $0.append("flood") } }
        }
        let one = Task(executorPreference: other) {
            order.withLock { $0.append("first") }
            await Task.yield()
            order.withLock { $0.append("second") }
        }
        isOpen.withLock { $0 = true }
        for task in tasks { await task.value }
        await one.value
        let places = order.withLock { order in
            ["first", "second"].map { order.firstIndex(of: $0) ?? .max }
        }
        #expect(places[0] <= 1 && places[1] < 10, "\(places)")
        #expect(order.withLock { $0.count } == 102)
    }

    @Test func aPoolWithoutLanesIsItsOnlyOne() async {
        let pool = WorkerPool(threads: 1)
        #expect(pool.lane(for: "a") === pool)
    }
}
