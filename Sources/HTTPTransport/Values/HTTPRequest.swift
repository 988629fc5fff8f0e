/// A request's first line and header fields, and where it came from.
public struct HTTPRequestHead: Sendable {
    /// The method as sent. Methods regard case; unknown ones are passed on.
    public let method: String
    /// The request target exactly as received: not decoded, query included, printable ASCII only.
    public let target: String
    /// The header fields.
    public let headers: HTTPHeaders
    /// The peer's numeric address without its port; `unix` on a unix-domain socket.
    public let remoteAddress: String
    /// Whether the request came over TLS.
    public let isSecure: Bool

    /// A request head, for handlers that are tested without a socket.
    public init(
        method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), remoteAddress: String = "127.0.0.1",
        isSecure: Bool = false
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
    }

    /// The target before its first `?`, not decoded.
    public var path: String {
        guard let mark = target.utf8.firstIndex(of: 0x3F) else { return target }
        return String(target[..<mark])
    }

    /// The target after its first `?`, not decoded; nil without one.
    public var query: String? {
        guard let mark = target.utf8.firstIndex(of: 0x3F) else { return nil }
        return String(target[target.utf8.index(after: mark)...])
    }
}

/// A request as a handler sees it.
public struct HTTPRequest: Sendable {
    /// The first line and the header fields.
    public let head: HTTPRequestHead
    /// The body, whole or as a stream, as the handler's `bodyPolicy` asked.
    public let body: HTTPRequestBody

    /// Whether the client is still there, as far as the system knows now: for answers that must not be wasted.
    public let isClientConnected: @Sendable () -> Bool

    /// A request from its parts.
    public init(
        head: HTTPRequestHead, body: HTTPRequestBody = HTTPRequestBody(bytes: []),
        isClientConnected: @escaping @Sendable () -> Bool = { true }
    ) {
        self.head = head
        self.body = body
        self.isClientConnected = isClientConnected
    }
}
