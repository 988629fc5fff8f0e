import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// An answer of the web services before it becomes a response.
struct WebServiceAnswer: Sendable {
    var status: Int
    var body: [UInt8]
    var webAuthToken: String?
    /// Seconds for `Retry-After`.
    var retryAfter: Int?
    /// The value of `RateLimit-Policy`, for who asks too often.
    var ratePolicy: String?
    /// The value of `Allow`.
    var allow: String?
    /// The value of `Accept-Encoding`.
    var acceptEncoding: String?
    /// What it cost beside the request itself and what was charged before; its own bytes are added when it is sent.
    var cost = RequestCost()
    /// Who asked, where that is a person.
    var userRecordName: String?
    /// For the log: why the request was refused, or single items of it.
    var refusals: [CloudError]

    /// - Parameter records: how many were read for it.
    init(_ body: [UInt8], records: Int = 0, refusals: [CloudError] = []) {
        status = 200
        self.body = body
        self.refusals = refusals
        cost.records = records
    }

    init(refusing error: CloudError, status: Int? = nil, redirectURL: String? = nil, requestUUID: String) {
        self.status = status ?? error.code.httpStatus
        var error = error
        if self.status == 429 || self.status == 503 {
            error.retryAfter = error.retryAfter ?? ServerLimits.retryAfter
            retryAfter = error.retryAfter
        }
        body = ResponseEncoder(context: WireContext(requestUUID: requestUUID)).error(error, redirectURL: redirectURL)
        refusals = [error]
    }

    init(_ refusal: RouteRefusal, requestUUID: String) {
        self.init(
            refusing: CloudError(refusal.code, refusal.reason), status: refusal.status, requestUUID: requestUUID)
        allow = refusal.allow
        acceptEncoding = refusal.acceptEncoding
    }

    /// The response, readable by scripts of other origins.
    func response(to head: HTTPRequestHead, requestUUID: String) -> HTTPResponse {
        var headers: [(String, String)] = []
        headers.reserveCapacity(10)
        headers.append(("Content-Type", "application/json; charset=UTF-8"))
        headers.append(("X-Apple-Request-UUID", requestUUID))
        headers.append(("Cache-Control", "no-store"))
        headers.append(("X-Content-Type-Options", "nosniff"))
        if let webAuthToken {
            headers.append(("X-Apple-CloudKit-Web-Auth-Token", webAuthToken))
            headers.append(("X-Apple-CloudKit-Session", webAuthToken))
        }
        if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
        if let ratePolicy { headers.append(("RateLimit-Policy", ratePolicy)) }
        if let allow { headers.append(("Allow", allow)) }
        if let acceptEncoding { headers.append(("Accept-Encoding", acceptEncoding)) }
        CrossOrigin.addHeaders(for: head, to: &headers)
        return HTTPResponse(status: status, headers: headers, body: .bytes(body))
    }
}
