/// What a server allows. Every default is stated with its constant.
public struct HTTPServerLimits: Sendable {
    /// Bytes of request line and header fields together (8 KiB); more is answered 431 or 414. At least 1 KiB, at most
    /// 24 KiB. A connection holds this and 4 KiB as long as it is open.
    public var headerBytes = 8_192
    /// Header fields of a request (64); more is answered 431.
    public var headerCount = 64
    /// Bytes of the request target (4 KiB); more is answered 414.
    public var requestTargetLength = 4_096
    /// From the connection's opening, and again from the request line, until the head is complete (15 s). Total: bytes
    /// that arrive do not renew it.
    public var headTime = Duration.seconds(15)
    /// From the head until the body is complete (10 min). Total: bytes that arrive do not renew it, but each mebibyte
    /// of a streamed body does, so that a long upload is cut off only when it is slower than that.
    public var bodyTime = Duration.seconds(600)
    /// How long a kept-alive connection may stay without a next request line, in total, and how long a response may
    /// make no progress (75 s, rounded up to whole seconds).
    public var idleTime = Duration.seconds(75)
    /// Open connections (16,384), but never more than the process's file descriptors allow with 128 to spare. Above, a
    /// plain connection is answered 503 with `Retry-After` and closed.
    public var connections = 16_384
    /// Open connections of one IPv4 address or one IPv6 /64 network (12,288): below ``connections``, so that
    /// no single address can take them all, and fewer in proportion where file descriptors allow fewer connections.
    /// Unix-domain sockets do not count.
    public var connectionsPerAddress = 12_288
    /// Bytes a streamed request or response may have waiting between client and handler (64 KiB).
    public var streamBufferBytes = 65_536
    /// Bytes of all request bodies in memory together (256 MiB), from their coming until their handlers are done; more
    /// is answered 503 with `Retry-After`.
    public var bufferedBodyBytes = 268_435_456
    /// Those of one client (64 MiB), likewise. Unix-domain sockets have no share but the whole.
    public var bufferedBodyBytesPerClient = 67_108_864
    /// Bytes of one body that are received into memory before the handler has agreed (64 KiB); see
    /// ``HTTPHandler/refusalOfBody(of:)``.
    public var uncheckedBodyBytes = 65_536
    /// Bytes of all answers in memory together that clients have not taken yet (256 MiB); above, connections are
    /// closed, those first that have waited longest of the client that holds most.
    public var waitingAnswerBytes = 268_435_456
    /// Those of one client (64 MiB), likewise; its only answer may be larger.
    public var waitingAnswerBytesPerClient = 67_108_864
    /// Bodies and answers of this size or less (4 KiB) do not count in the four limits above, since the number of
    /// connections bounds them.
    static let uncountedBytes = 4_096
    /// How long `stop` keeps answering on idle kept-alive connections before it closes them (300 ms).
    public var drainGrace = Duration.milliseconds(300)

    /// The defaults.
    public init() {}
}
