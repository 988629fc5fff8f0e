import Foundation
import StratusCloudModel
import StratusCloudWire
import StratusHTTPClient

extension HTTPCloudTransport {
    /// Why a request has no answer that is a success.
    static func refusal(_ response: HTTPClientResponse) -> CloudTransportError {
        let delay = response.retryAfter(now: Int64(Date().timeIntervalSince1970 * 1_000))
        let uuid = response.headers["X-Apple-Request-UUID"]
        guard let refusal = try? ResponseDecoder().refusal(response.body) else {
            return refusalOnTheWay(response.status, delay, uuid)
        }
        var error = refusal.error
        error.retryAfter = error.retryAfter ?? delay
        return .refused(error, requestUUID: refusal.uuid ?? uuid)
    }

    /// What an answer means that is not in the protocol's words, but of something on the way to the service, which knows nothing
    /// of records: its 404 must not look as if one were gone, nor its 409 as if one had changed.
    private static func refusalOnTheWay(_ status: Int, _ delay: Int?, _ uuid: String?) -> CloudTransportError {
        let reason = "The server answered with the HTTP status \(status)."
        func refused(_ code: CloudError.Code) -> CloudTransportError {
            .refused(CloudError(code, reason, retryAfter: delay), requestUUID: uuid)
        }
        switch status {
        case 401: return refused(.authenticationFailed)
        case 403: return refused(.accessDenied)
        case 413: return .stated(.limitExceeded, reason, retryAfter: nil)
        case 429: return refused(.throttled)
        case 503: return refused(.tryAgainLater)
        // The service may have done what it was asked, and the answer be lost.
        case 500...: return .failed("the HTTP status \(status) came from the way to the server")
        default: return .stated(.serverRejectedRequest, reason, retryAfter: delay.map { Double($0) })
        }
    }
}
