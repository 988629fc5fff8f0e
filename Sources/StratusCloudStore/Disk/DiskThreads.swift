import StratusWorkers

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

    /// Lets threads that may block help with `body`, until ``HelpingThreads/finish()``.
    func help(_ count: Int, _ body: @escaping @Sendable () throws -> Void) -> HelpingThreads {
        HelpingThreads(count, from: readers, body)
    }

    /// Runs a write transaction when its turn comes, even if its caller is cancelled.
    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        let returned = Returned<Result>()
        // Not a checked one, which is an object more for each write: a write is answered once, with its group if it is
        // taken, at once if it is not.
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            let write = PendingWrite(partition: partition) { transaction in
                returned.value = try body(transaction)
            } answer: { failure in
                if let failure { continuation.resume(throwing: failure) } else { continuation.resume() }
            }
            if !writer.add(write) { write.answer(StoreError.isClosed) }
        }
        guard let result = returned.value else {
            throw StoreError(.ioFailure, "a transaction was answered without having run")
        }
        return result
    }

    /// Takes no further writes, and waits for those that were taken.
    func close() async {
        await withCheckedContinuation { continuation in writer.close { continuation.resume() } }
    }
}

/// What a transaction's body has returned, on its way from the writer's thread to its caller.
///
/// `@unchecked Sendable`: it is set before the caller is answered, and read after that.
private final class Returned<Value>: @unchecked Sendable {
    var value: Value?
}
