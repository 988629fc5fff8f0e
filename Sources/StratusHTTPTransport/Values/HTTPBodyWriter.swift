/// Writes a streamed response body.
public struct HTTPBodyWriter: Sendable {
    let stream: OutgoingStream

    /// Hands over bytes and waits while the client is slow: at most `HTTPServerLimits.streamBufferBytes`, beyond what a
    /// single call brings, wait to be sent.
    /// - Throws: `HTTPStreamError`, or `CancellationError` when the task is cancelled.
    public func write(_ bytes: [UInt8]) async throws { try await stream.write(bytes) }
}
