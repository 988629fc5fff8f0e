/// A request's first line and header fields, and where it came from.
///
/// A class, because a structure would count a reference for each of its texts wherever it is passed on.
public final class HTTPRequestHead: Sendable {
    /// The method as sent. Methods regard case; unknown ones are passed on.
    public let method: String
    /// What the request asks for.
    public let requestTarget: HTTPTarget
    /// The header fields.
    public let headers: HTTPHeaders
    /// The peer's numeric address without its port; `unix` on a unix-domain socket.
    public let remoteAddress: String
    /// Whether the request came over TLS.
    public let isSecure: Bool

    /// A request head, for handlers that are tested without a socket.
    public convenience init(
        method: String, target: String, headers: HTTPHeaders = HTTPHeaders(), remoteAddress: String = "127.0.0.1",
        isSecure: Bool = false
    ) {
        self.init(
            method: method, target: HTTPTarget(target), headers: headers, remoteAddress: remoteAddress,
            isSecure: isSecure)
    }

    init(method: String, target: HTTPTarget, headers: HTTPHeaders, remoteAddress: String, isSecure: Bool) {
        self.method = method
        requestTarget = target
        self.headers = headers
        self.remoteAddress = remoteAddress
        self.isSecure = isSecure
    }

    /// The request target exactly as received: not decoded, query included, printable ASCII only.
    public var target: String { requestTarget.text }
    /// The target before its first `?`, not decoded.
    public var path: String { requestTarget.path }
    /// The target after its first `?`, not decoded; nil without one.
    public var query: String? { requestTarget.query }
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
