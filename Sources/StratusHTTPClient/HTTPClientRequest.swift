/// A request to send.
public struct HTTPClientRequest: Sendable {
    /// The method, in upper case.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// Header fields; `Host` and `Content-Length` are set by the client.
    public var headers: HTTPHeaders
    /// The body, which may be empty.
    public var body: [UInt8]
    /// Longest time until the whole response is there; nil for the client's own.
    public var timeout: Duration?

    /// A request.
    public init(
        method: String = "GET", url: String, headers: HTTPHeaders = [:], body: [UInt8] = [], timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }

    /// Whether a body is announced, even an empty one.
    var hasBody: Bool { !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) }

    /// Whether sending it twice is the same as sending it once.
    var isIdempotent: Bool { !["POST", "PATCH"].contains(method) }

    /// Refuses what would change the meaning of the request on the wire.
    func validate() throws(HTTPClientError) {
        guard Self.isToken(method) else { throw HTTPClientError(.invalidRequest, "the method is no token") }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw HTTPClientError(.invalidRequest, "the URL holds white space or control characters")
        }
        for field in headers {
            guard Self.isToken(field.name) else {
                throw HTTPClientError(.invalidRequest, "a header name is no token")
            }
            guard field.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                throw HTTPClientError(.invalidRequest, "the header \(field.name) holds control characters")
            }
        }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
