import Glibc

/// Threads of our own for work that may block (disk, password hashing), so that Swift's cooperative threads never do.
///
/// As a `TaskExecutor` it runs whole tasks: a request handled on a pool reads the store without changing threads.
public final class WorkerPool: TaskExecutor {
    private let queue: WorkQueue
    private let lanes: [WorkerLane]

    /// Starts `threads` threads. They live as long as the process.
    /// - Parameter lanes: how many ``lane(for:)`` tells apart.
    public init(threads: Int, lanes: Int = 0) {
        precondition(threads > 0 && lanes >= 0)
        let queue = WorkQueue(lanes: lanes)
        self.queue = queue
        self.lanes = (0..<lanes).map { WorkerLane(queue, number: $0) }
        for _ in 0..<threads { Self.startThread(for: queue) }
    }

    /// Whether the current thread belongs to a pool, and so may block.
    public static var isCurrentThread: Bool { PoolThread.isCurrent }

    /// Lets the current thread, which is none of a pool and none of Swift's, block like those of a pool.
    public static func adoptCurrentThread() { PoolThread.markCurrent() }

    /// Where tasks of one client run on the pool's threads. Lanes take turns, whatever waits in each, so one client's
    /// flood does not keep others waiting; two clients share a lane by chance only, since the hash differs in each
    /// process. Lives as long as the pool. What the pool itself is given goes before, but not without end.
    public func lane(for client: some Hashable) -> any TaskExecutor {
        guard !lanes.isEmpty else { return self }
        return lanes[Int(UInt(bitPattern: client.hashValue) % UInt(lanes.count))]
    }

    /// Whether work waits for a thread. Where none does, a thread that is at work may as well go on with what it has
    /// instead of putting it into a lane, from which it would be taken at once.
    public var hasWaitingWork: Bool { queue.hasWaitingWork }

    /// Takes a job of a task, for Swift's runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.add { job.runSynchronously(on: executor) }
    }

    /// Runs `body` on a thread of the pool.
    public func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.add { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// Runs `body` on a thread of the pool, later, without waiting.
    public func submit(_ body: @escaping @Sendable () -> Void) { queue.add(body) }

    private static func startThread(for queue: WorkQueue) {
        let context = Unmanaged.passRetained(queue)
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, poolThreadMain, context.toOpaque())
        precondition(failure == 0, "no thread can be started: error \(failure)")
        pthread_detach(thread)
    }
}

private func poolThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().runForever()
}
