import StratusHTTPTransport

/// What lets scripts of other origins read the answers. No cookies are involved, so the origin that asks is echoed,
/// on refusals too, or else the page could not tell its user why; what an API token allows is the service's decision.
enum CrossOrigin {
    private static let exposedHeaders =
        "X-Apple-CloudKit-Web-Auth-Token, X-Apple-CloudKit-Session, X-Apple-Request-UUID, Retry-After, "
        + "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Repr-Digest, Upload-Complete, "
        + "Upload-Offset"
    private static let allowedHeaders =
        "Content-Encoding, Content-Type, \(SignatureHeader.keyID), \(SignatureHeader.date), "
        + "\(SignatureHeader.signature), Content-Digest, Content-Range, If-Match, If-None-Match, If-Range, Range, Repr-Digest"

    /// Adds the headers of an answer to a request with these.
    static func addHeaders(for head: HTTPRequestHead, to headers: inout [(String, String)]) {
        headers.append(("Vary", "Origin"))
        guard let origin = head.headers["Origin"] else { return }
        headers.append(("Access-Control-Allow-Origin", origin))
        headers.append(("Access-Control-Expose-Headers", exposedHeaders))
    }

    /// The answer to `OPTIONS`.
    static func preflight(_ head: HTTPRequestHead) -> HTTPResponse {
        var response = HTTPResponse(status: 200)
        addHeaders(for: head, to: &response.headers)
        response.headers += [
            ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, OPTIONS"),
            ("Access-Control-Allow-Headers", allowedHeaders),
            ("Access-Control-Max-Age", ServerLimits.preflightSeconds),
        ]
        return response
    }
}
