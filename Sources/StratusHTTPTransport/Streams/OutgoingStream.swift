import Glibc
import StratusCMicroHTTPD

/// A response body between the handler's task, which writes, and the I/O thread, which reads.
///
/// `@unchecked Sendable`: all state is touched only under the connection's lock.
final class OutgoingStream: @unchecked Sendable {
    private let exchange: Exchange
    private let capacity: Int
    private let endsWithConnection: Bool
    private var pieces: [[UInt8]] = []
    private var firstPiece = 0
    private var offsetInPiece = 0
    private var waitingBytes = 0
    /// What the library took so far. Under the connection's lock.
    private(set) var sentBytes: Int64 = 0
    /// What the writer may still write, if it has declared a length.
    private var allowance: Int64?
    private var isReaderWaiting = false
    private var isFinished = false
    private var failure: (any Error)?
    private var waiter = Waiter<Void>()

    /// - Parameter endsWithConnection: whether only the closing of the connection tells the client the body's end.
    init(exchange: Exchange, capacity: Int, contentLength: Int64?, endsWithConnection: Bool) {
        self.exchange = exchange
        self.capacity = capacity
        self.endsWithConnection = endsWithConnection
        allowance = contentLength
    }

    func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if let ready = appendOrWait(bytes, continuation) { continuation.resume(with: ready) }
            }
        } onCancel: {
            fail(CancellationError())
        }
    }

    /// The body is complete.
    func finish() {
        exchange.connection.withLock {
            isFinished = true
            wakeReader()
        }
    }

    /// The body will never be complete: the connection is closed, and so is the writer told.
    func fail(_ error: any Error) {
        let writer = exchange.connection.withLock {
            if failure == nil { failure = error }
            wakeReader()
            return waiter.take()
        }
        writer?.resume(throwing: error)
    }

    /// Fills `space` on the I/O thread: the number of bytes, 0 after suspending the connection, or the library's
    /// end mark.
    func read(into space: UnsafeMutableRawBufferPointer) -> Int {
        var writer: CheckedContinuation<Void, any Error>?
        let count = exchange.connection.withLock { () -> Int in
            if failure != nil { return closeConnection(space) }
            let count = take(into: space)
            if count > 0 {
                if waitingBytes <= capacity / 2 { writer = waiter.take() }
                return count
            }
            if isFinished {
                let isShort = (allowance ?? 0) > 0
                return isShort || endsWithConnection ? closeConnection(space) : transport_end_of_stream
            }
            isReaderWaiting = true
            exchange.suspend()
            return 0
        }
        writer?.resume()
        return count
    }

    /// Ends the connection after what was sent. The library's own error mark would leave a connection that was
    /// suspended before unattended until its time-out; so the socket is shut down, and a byte that cannot be sent any
    /// more makes the library notice.
    private func closeConnection(_ space: UnsafeMutableRawBufferPointer) -> Int {
        guard !space.isEmpty else { return transport_end_with_error }
        shutdown(exchange.connection.socket, Int32(SHUT_RDWR))
        space[0] = 0
        return 1
    }

    private func appendOrWait(
        _ bytes: [UInt8], _ continuation: CheckedContinuation<Void, any Error>
    ) -> Result<Void, any Error>? {
        exchange.connection.withLock {
            if let failure { return .failure(failure) }
            if let left = allowance {
                guard left >= Int64(bytes.count) else { return .failure(HTTPStreamError.contentLengthExceeded) }
                allowance = left - Int64(bytes.count)
            }
            pieces.append(bytes)
            waitingBytes += bytes.count
            wakeReader()
            guard waitingBytes > capacity else { return .success(()) }
            waiter.wait(continuation)
            return nil
        }
    }

    private func take(into space: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while firstPiece < pieces.count, filled < space.count {
            let count = min(pieces[firstPiece].count - offsetInPiece, space.count - filled)
            pieces[firstPiece].withUnsafeBytes { source in
                space[filled...].copyMemory(from: source[offsetInPiece..<offsetInPiece + count])
            }
            filled += count
            offsetInPiece += count
            if offsetInPiece == pieces[firstPiece].count {
                pieces[firstPiece] = []
                firstPiece += 1
                offsetInPiece = 0
            }
        }
        if firstPiece == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            firstPiece = 0
        }
        waitingBytes -= filled
        sentBytes += Int64(filled)
        return filled
    }

    private func wakeReader() {
        guard isReaderWaiting else { return }
        isReaderWaiting = false
        exchange.resume()
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    fileprivate func copyMemory(from source: Slice<UnsafeRawBufferPointer>) {
        UnsafeMutableRawBufferPointer(rebasing: self).copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
    }
}
