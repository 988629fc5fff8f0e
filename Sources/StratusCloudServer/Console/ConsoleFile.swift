import StratusCloudCrypto
import StratusHTTPTransport

/// A file of the console's pages: its bytes, as they are and compressed, and what names them.
struct ConsoleFile: Sendable {
    let contentType: String
    private let plain: [UInt8]
    /// Nil where compression gains nothing.
    private let compressed: [UInt8]?
    /// The first hexadecimal digits of the bytes' hash.
    let digest: String

    init(_ bytes: [UInt8], contentType: String) {
        self.contentType = contentType
        plain = bytes
        compressed = Gzip.compress(bytes, .most)
        digest = String(Hex.encode(SHA256.hash(bytes)).prefix(32))
    }

    /// The answer to a request for it.
    /// - Parameter caching: the value of `Cache-Control`.
    func response(to head: HTTPRequestHead, caching: String) -> HTTPResponse {
        let body = head.takesGzip ? compressed : nil
        // Other bytes, another tag.
        let tag = "\"\(digest)\(body == nil ? "" : "-gzip")\""
        var headers = [
            ("Content-Type", contentType), ("Cache-Control", caching), ("ETag", tag), ("Vary", "Accept-Encoding"),
        ]
        headers += ConsolePolicy.headers
        switch Preconditions(head, tag: tag).outcome {
        case .notModified: return HTTPResponse(status: 304, headers: headers)
        case .failed: return HTTPResponse(status: 412, headers: headers)
        case .go: break
        }
        if body != nil { headers.append(("Content-Encoding", "gzip")) }
        return HTTPResponse(status: 200, headers: headers, body: .bytes(body ?? plain))
    }
}

/// What browsers may do with the console's pages.
enum ConsolePolicy {
    /// Only what this server serves: no script and no style stands in a page, and no page shows the console in a frame.
    private static let content = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; \
        font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    static let headers = [
        ("Content-Security-Policy", content), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Robots-Tag", "noindex"),
    ]
}
