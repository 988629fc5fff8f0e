/// How a request's body is to be received.
public enum BodyPolicy: Sendable {
    /// The whole body is in memory before the handler is called. Larger than `limit` bytes: 413, connection closed.
    /// Where all such bodies together, or those of one client, would be larger than ``HTTPServerLimits`` allow: 503,
    /// connection closed.
    case buffered(limit: Int)
    /// The handler is called at once and reads the body as it comes. Larger than `limit` bytes: reading fails, the
    /// answer is 413, connection closed. Pieces have at least `pieceSize` bytes, but for the last: the larger, the fewer
    /// changes of threads; twice as many may wait.
    case streamed(limit: Int64, pieceSize: Int = 1)
    /// The body is not wanted: this is the answer, given before the body comes, and the connection is closed. The
    /// handler is not called. The answer must not be a streamed one.
    case refused(HTTPResponse)
}

/// What answers the requests of a server.
public protocol HTTPHandler: Sendable {
    /// How the body of this request is to be received. Called on an I/O thread for every request: must not block.
    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy

    /// What the body of a request is answered with instead of being received into memory, where it is, or may become,
    /// larger than ``HTTPServerLimits/uncheckedBodyBytes``: so a handler can look at credentials first. Nil receives
    /// the body; an answer closes the connection, and must not be a streamed one. Called on the server's worker pool.
    func refusalOfBody(of head: HTTPRequestHead) async -> HTTPResponse?

    /// What the sender of a request is counted by where memory is shared among clients. Called on an I/O thread: must
    /// not block.
    func client(of head: HTTPRequestHead) -> String

    /// Answers a request, on the server's worker pool, where it may block. The task is cancelled when the client goes
    /// away or a stop's time runs out.
    func respond(to request: HTTPRequest) async -> HTTPResponse

    /// Whether a request whose body is in memory is answered on its I/O thread, without a change of threads, also after
    /// its handler has waited: for handlers that take some microseconds between two waits and block for nothing but
    /// short reads, since other connections of the thread wait meanwhile. Called on an I/O thread for every such
    /// request: must not block.
    /// - Parameter isAlone: no other handler of the server is at work or waits for a thread. Then what takes up to a
    ///   millisecond may pass for quick, too: two changes of threads are a good part of that where threads sleep, and
    ///   nobody is kept waiting but who comes in that moment.
    func isQuick(_ head: HTTPRequestHead, isAlone: Bool) -> Bool

    /// What a refusal says that the transport makes by itself: 400 for malformed heads, 413, 414, 431, and 503 while
    /// stopping. Called on an I/O thread: must not block. Nil sends no body.
    func refusal(status: Int) -> HTTPRefusal?
}

extension HTTPHandler {
    /// Receives every body.
    public func refusalOfBody(of head: HTTPRequestHead) async -> HTTPResponse? { nil }

    /// The network of the connection's address.
    public func client(of head: HTTPRequestHead) -> String { ClientNetwork.text(of: head.remoteAddress) }

    /// Never.
    public func isQuick(_ head: HTTPRequestHead, isAlone: Bool) -> Bool { false }

    /// No body.
    public func refusal(status: Int) -> HTTPRefusal? { nil }
}

/// The body of an answer that the transport gives by itself.
public struct HTTPRefusal: Sendable {
    /// For the `Content-Type` header; without line breaks.
    public let contentType: String
    /// The body.
    public let body: [UInt8]

    /// Makes a body.
    public init(contentType: String, body: [UInt8]) {
        self.contentType = contentType
        self.body = body
    }
}
