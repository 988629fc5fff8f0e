/// An answer.
public struct HTTPResponse: Sendable {
    /// The status, 200…599; anything else is sent as 500.
    public var status: Int
    /// Header fields, sent in this order. Control characters in values are sent as spaces, fields whose names are no
    /// tokens are left out, and so are `Content-Length`, `Transfer-Encoding` and any `Connection` but `close`, which
    /// are the server's affair.
    public var headers: [(String, String)]
    /// The body; not sent for HEAD, 204 and 304.
    public var body: HTTPResponseBody
    /// Told once when the request is over, answered or not, on any thread: must not block. For a body that is given
    /// ``HTTPResponseBody/later(_:)`` it counts here, not in what is given. Not for a refused body.
    public var whenOver: (@Sendable (HTTPResponseEnd) -> Void)?

    /// An answer from its parts.
    public init(status: Int, headers: [(String, String)] = [], body: HTTPResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How a request ended.
public struct HTTPResponseEnd: Sendable, Equatable {
    /// The status that was sent; nil if the client had gone away before.
    public var status: Int?
    /// Bytes of the body that were sent, or handed to the system to be sent.
    public var bodyBytes: Int64

    /// Makes an end.
    public init(status: Int?, bodyBytes: Int64) {
        self.status = status
        self.bodyBytes = bodyBytes
    }
}

/// A response's body.
public enum HTTPResponseBody: Sendable {
    /// No body.
    case empty
    /// These bytes.
    case bytes([UInt8])
    /// `length` bytes of a file from `offset`, sent by the kernel where the connection is plain. A range the file does
    /// not have is answered 500; a file that shrinks while it is sent ends the connection after `idleTime`.
    case file(HTTPFile, offset: Int64, length: Int64)
    /// What the closure writes; `contentLength` nil sends chunks. The closure runs in the handler's task. If it throws,
    /// or returns before `contentLength` bytes, the connection is closed so that the client sees the body is not whole.
    case stream(contentLength: Int64?, writer: @Sendable (HTTPBodyWriter) async throws -> Void)
    /// Not known yet: the closure keeps the answer and gives it later, from any thread; status and headers beside this
    /// body count for nothing. Meanwhile the request costs no task, so that many can wait.
    case later(@Sendable (HTTPLateAnswer) -> Void)
}
