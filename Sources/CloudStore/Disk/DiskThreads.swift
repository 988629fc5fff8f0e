import Workers

/// The threads of a store on a disk, whatever its engine: one that writes, and, for callers on threads that must not
/// block, some that read for all stores of the engine.
final class DiskThreads: Sendable {
    private let writer: BatchThread<PendingWrite>
    private let readers: WorkerPool
    private let counter: StatisticsCounter

    /// Starts the writer's thread.
    /// - Parameter whenReleased: called when it has ended.
    init(
        writer: any BatchConsumer<PendingWrite>, readers: WorkerPool, counter: StatisticsCounter,
        whenReleased: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        self.writer = BatchThread(writer, whenReleased: whenReleased)
        self.readers = readers
        self.counter = counter
        try self.writer.start()
    }

    /// Closes the writer without waiting for it.
    deinit { writer.close() }

    /// Runs a read transaction, on the calling thread if it is one that may block.
    func read<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        counter.countRead()
        return try await WorkerPool.isCurrentThread ? body() : readers.run(body)
    }

    /// Runs `body`, which is no transaction of a caller, on a thread that may block.
    func maintain<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await readers.run(body)
    }

    /// Runs a write transaction when its turn comes, even if its caller is cancelled.
    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(partition, body: body) { continuation.resume(with: $0) }
            if !writer.add(write) { write.refuse(.isClosed) }
        }
    }

    /// Takes no further writes, and waits for those that were taken.
    func close() async {
        await withCheckedContinuation { continuation in writer.close { continuation.resume() } }
    }
}
