import StratusCloudCrypto
import StratusHTTPTransport
import StratusTelemetry

/// Health and metrics: what operators and their tools look at.
struct OperationsHandler: Sendable {
    let readiness: Readiness

    /// 200 as long as anything is answered at all.
    func liveness() -> HTTPResponse { Self.text(200, "alive") }

    func readinessAnswer() async -> HTTPResponse {
        let answer = await readiness.answer()
        var response = Self.text(answer == .ready ? 200 : 503, answer.rawValue)
        if answer != .ready { response.headers.append(("Retry-After", String(ServerLimits.retryAfter))) }
        return response
    }

    static func text(_ status: Int, _ text: String, contentType: String = "text/plain; charset=utf-8") -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                ("Content-Type", contentType), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
            ],
            body: .bytes(Array(text.utf8)))
    }
}

/// The operator's token for the metrics page on the public listener. Only its hash is kept.
struct AdminToken: Sendable {
    private let hash: [UInt8]

    init(_ token: String) { hash = SHA256.hash(Array(token.utf8)) }

    /// Whether a request brings it as `Authorization: Bearer …`.
    func isIn(_ head: HTTPRequestHead) -> Bool {
        guard let value = head.headers["Authorization"], value.utf8.count > 7,
            value.prefix(7).lowercased() == "bearer "
        else { return false }
        return constantTimeEqual(SHA256.hash(Array(value.utf8.dropFirst(7))), hash)
    }
}
