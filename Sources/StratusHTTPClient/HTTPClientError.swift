/// Why a request got no response. Compare `code`; `message` is for people.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        enum Name: String {
            case invalidRequest, cannotConnect, forbiddenAddress, timedOut, cancelled, tls, tooLarge, other
        }
        let name: Name

        /// The URL, the method or a header cannot be sent.
        public static let invalidRequest = Self(name: .invalidRequest)
        /// The host has no address, or nobody listens there. The request was not sent.
        public static let cannotConnect = Self(name: .cannotConnect)
        /// The host's addresses are all private, and the client makes no connections to such. The request was not sent.
        public static let forbiddenAddress = Self(name: .forbiddenAddress)
        /// The connection or the whole response took longer than allowed.
        public static let timedOut = Self(name: .timedOut)
        /// The task that waited was cancelled; the connection is closed or the stream reset.
        public static let cancelled = Self(name: .cancelled)
        /// No secure connection: the certificate is not trusted, or the peer speaks no TLS.
        public static let tls = Self(name: .tls)
        /// The response's header or body is longer than allowed.
        public static let tooLarge = Self(name: .tooLarge)
        /// Anything else, such as a connection lost halfway; the message has libcurl's words.
        public static let other = Self(name: .other)

        /// The name, as in `Code.timedOut`.
        public var description: String { name.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence for the log. It may name the host, never headers or bodies.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
