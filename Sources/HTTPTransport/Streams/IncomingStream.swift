/// A request body between the I/O thread, which appends, and the handler's task, which reads.
///
/// `@unchecked Sendable`: all state is touched only under the connection's lock.
final class IncomingStream: @unchecked Sendable {
    private let exchange: Exchange
    private let capacity: Int
    private var buffer: [UInt8] = []
    private var isPaused = false
    private var isFinished = false
    private var isDiscarding = false
    private var failure: (any Error)?
    private var waiter = Waiter<[UInt8]?>()

    init(exchange: Exchange, capacity: Int) {
        self.exchange = exchange
        self.capacity = capacity
    }

    /// Takes over bytes from the connection, which is suspended when too many wait.
    func append(_ bytes: UnsafeRawBufferPointer) {
        let reader = exchange.connection.withLock { () -> CheckedContinuation<[UInt8]?, any Error>? in
            if isDiscarding { return nil }
            if let reader = waiter.take() { return reader }
            buffer.append(contentsOf: bytes)
            if buffer.count > capacity, !isPaused {
                isPaused = true
                exchange.suspend()
            }
            return nil
        }
        reader?.resume(returning: [UInt8](bytes))
    }

    /// Nobody will read any more: what still comes is dropped, so that the answer can follow it.
    func discard() {
        exchange.connection.withLock {
            isDiscarding = true
            buffer = []
            unpause()
        }
    }

    func finish() { end { self.isFinished = true }?.resume(returning: nil) }

    func fail(_ error: any Error) { end { self.failure = self.failure ?? error }?.resume(throwing: error) }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let ready = takeOrWait(continuation) { continuation.resume(with: ready) }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    private func end(_ mark: () -> Void) -> CheckedContinuation<[UInt8]?, any Error>? {
        exchange.connection.withLock {
            if !isFinished { mark() }
            return waiter.take()
        }
    }

    private func takeOrWait(_ continuation: CheckedContinuation<[UInt8]?, any Error>) -> Result<[UInt8]?, any Error>? {
        exchange.connection.withLock {
            if let failure { return .failure(failure) }
            if !buffer.isEmpty {
                let bytes = buffer
                buffer = []
                unpause()
                return .success(bytes)
            }
            if isFinished { return .success(nil) }
            waiter.wait(continuation)
            return nil
        }
    }

    private func unpause() {
        guard isPaused else { return }
        isPaused = false
        exchange.resume()
    }
}
