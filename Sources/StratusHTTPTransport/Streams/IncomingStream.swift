/// A request body between the I/O thread, which appends, and the handler's task, which reads.
///
/// `@unchecked Sendable`: all state is touched only under the connection's lock.
final class IncomingStream: @unchecked Sendable {
    private let exchange: Exchange
    private let capacity: Int
    private let pieceSize: Int
    private var buffer: [UInt8] = []
    private var isPaused = false
    private var isFinished = false
    private var isDiscarding = false
    private var failure: (any Error)?
    private var waiter = Waiter<[UInt8]?>()

    /// - Parameters:
    ///   - capacity: bytes that may wait before the client has to.
    ///   - pieceSize: bytes that the reader is woken for; not more than `capacity`.
    init(exchange: Exchange, capacity: Int, pieceSize: Int) {
        self.exchange = exchange
        self.capacity = capacity
        self.pieceSize = pieceSize
    }

    /// Takes over bytes from the connection, which is suspended when too many wait.
    func append(_ bytes: UnsafeRawBufferPointer) {
        let (reader, piece) = exchange.connection.withLock {
            () -> (CheckedContinuation<[UInt8]?, any Error>?, [UInt8]) in
            if isDiscarding { return (nil, []) }
            if buffer.isEmpty, pieceSize > bytes.count { buffer.reserveCapacity(pieceSize + bytes.count) }
            buffer.append(contentsOf: bytes)
            if buffer.count >= pieceSize, let reader = waiter.take() { return (reader, takeBuffer()) }
            if buffer.count > capacity, !isPaused {
                isPaused = true
                exchange.suspend()
            }
            return (nil, [])
        }
        reader?.resume(returning: piece)
    }

    /// Nobody will read any more: what still comes is dropped, so that the answer can follow it.
    func discard() {
        exchange.connection.withLock {
            isDiscarding = true
            buffer = []
            unpause()
        }
    }

    func finish() { end { self.isFinished = true } }

    /// What came before is still read.
    func fail(_ error: any Error) { end { self.failure = self.failure ?? error } }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let ready = takeOrWait(continuation) { continuation.resume(with: ready) }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    private func end(_ mark: () -> Void) {
        let (reader, outcome) = exchange.connection.withLock {
            () -> (CheckedContinuation<[UInt8]?, any Error>?, Result<[UInt8]?, any Error>?) in
            if !isFinished { mark() }
            guard let reader = waiter.take() else { return (nil, nil) }
            return (reader, ready)
        }
        if let outcome { reader?.resume(with: outcome) }
    }

    /// What the reader gets without waiting. Under the connection's lock.
    private var ready: Result<[UInt8]?, any Error>? {
        let isOver = isFinished || failure != nil
        if !buffer.isEmpty, isOver || buffer.count >= pieceSize { return .success(takeBuffer()) }
        if let failure { return .failure(failure) }
        return isFinished ? .success(nil) : nil
    }

    private func takeBuffer() -> [UInt8] {
        defer { buffer = [] }
        return buffer
    }

    private func takeOrWait(_ continuation: CheckedContinuation<[UInt8]?, any Error>) -> Result<[UInt8]?, any Error>? {
        exchange.connection.withLock {
            guard let ready else {
                waiter.wait(continuation)
                return nil
            }
            unpause()
            return ready
        }
    }

    private func unpause() {
        guard isPaused else { return }
        isPaused = false
        exchange.resume()
    }
}
