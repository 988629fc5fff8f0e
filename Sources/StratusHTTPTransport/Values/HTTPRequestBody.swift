/// A request's body: whole in memory, or read as it comes.
///
/// As a sequence it yields pieces of any size; a buffered body is one piece. While the reader is slow, the client is
/// made to wait. It can be read once, before `respond` returns.
public struct HTTPRequestBody: Sendable, AsyncSequence {
    /// A piece of the body; never empty.
    public typealias Element = [UInt8]

    private enum Storage {
        case bytes([UInt8], BodyLease?)
        case stream(IncomingStream)
    }

    private let storage: Storage

    /// A whole body.
    public init(bytes: [UInt8]) { self.init(bytes: bytes, lease: nil) }

    /// - Parameter lease: The room that the body takes as long as it is there.
    init(bytes: [UInt8], lease: BodyLease?) { storage = .bytes(bytes, lease) }

    init(stream: IncomingStream) { storage = .stream(stream) }

    /// The whole body, if it was received as `BodyPolicy.buffered`; empty otherwise.
    public var bytes: [UInt8] {
        if case .bytes(let bytes, _) = storage { bytes } else { [] }
    }

    func discardRest() {
        if case .stream(let stream) = storage { stream.discard() }
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator {
        switch storage {
        case .bytes(let bytes, _): AsyncIterator(rest: bytes.isEmpty ? nil : bytes, stream: nil)
        case .stream(let stream): AsyncIterator(rest: nil, stream: stream)
        }
    }

    /// Reads the pieces of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var rest: [UInt8]?
        fileprivate let stream: IncomingStream?

        /// The next piece, or nil at the end.
        /// - Throws: `HTTPStreamError` when the body cannot be read to its end, `CancellationError` when the task is
        /// cancelled.
        public mutating func next() async throws -> [UInt8]? {
            if let stream { return try await stream.next() }
            defer { rest = nil }
            return rest
        }
    }
}
