import FoundationEssentials
import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// An answer of the console's API before it becomes a response.
struct ConsoleAnswer: Sendable {
    var status = 200
    var contentType = "application/json; charset=UTF-8"
    var body: HTTPResponseBody
    var headers: [(String, String)] = []
    /// For the log.
    var refusals: [CloudError] = []
    /// Whether it tells neither a secret nor, beside each other, what several people wrote; see ``ConsoleRoute/isOnlyRead``.
    var isCompressible = false
    /// Called once when a body that is written bit by bit is over.
    var whenOver: (@Sendable () -> Void)?

    init(_ json: ConsoleJSON) { body = .bytes(json.bytes) }

    /// What the operator's tool is answered, too.
    init(encoding value: some Encodable) throws(CloudError) {
        do {
            body = .bytes(Array(try JSONEncoder().encode(value)))
        } catch {
            throw CloudError(.internalError, "the response could not be encoded")
        }
    }

    /// What the web services answer.
    init(_ answer: WebServiceAnswer) {
        status = answer.status
        body = .bytes(answer.body)
        refusals = answer.refusals
        if let seconds = answer.retryAfter { headers.append(("Retry-After", String(seconds))) }
    }

    init(stream contentType: String, _ writer: @escaping @Sendable (HTTPBodyWriter) async throws -> Void) {
        self.contentType = contentType
        body = .stream(contentLength: nil, writer: writer)
    }

    init(refusing error: CloudError, field: String? = nil, allow: String? = nil) {
        status = error.code == .authenticationRequired ? 401 : error.code.httpStatus
        var members: [(String, ConsoleJSON)] = [
            ("error", .string(error.code.rawValue)), ("reason", .string(error.reason)),
        ]
        if let field { members.append(("field", .string(field))) }
        body = .bytes(ConsoleJSON.object(members).bytes)
        refusals = [error]
        if status == 429 || status == 503 {
            headers.append(("Retry-After", String(error.retryAfter ?? ServerLimits.retryAfter)))
        }
        if let allow {
            status = 405
            headers.append(("Allow", allow))
        }
    }

    /// That it is done, where there is nothing to tell.
    static let done = ConsoleAnswer([:])

    /// With the headers that keep it from other sites and caches.
    func response(to head: HTTPRequestHead, requestUUID: String) -> HTTPResponse {
        var (body, headers) = (body, headers)
        if isCompressible, case .bytes(let bytes) = body, bytes.count >= ServerLimits.compressedAnswerSize {
            headers.append(("Vary", "Accept-Encoding"))
            if head.takesGzip, let compressed = Gzip.compress(bytes, .usual) {
                headers.append(("Content-Encoding", "gzip"))
                body = .bytes(compressed)
            }
        }
        var response = HTTPResponse(
            status: status,
            headers: [
                ("Content-Type", contentType), ("X-Apple-Request-UUID", requestUUID), ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
                ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
            ] + headers, body: body)
        if let whenOver { response.whenOver = { _ in whenOver() } }
        return response
    }
}
