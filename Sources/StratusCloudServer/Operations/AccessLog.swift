import StratusCloudModel
import StratusHTTPTransport
import StratusTelemetry

/// One line a request where the operator wants it, and always for those that were refused, as a whole or in part: the
/// identifier that the client was told stands in it.
struct AccessLog: Sendable {
    let logger: Logger
    /// The level of requests that went well.
    let level: LogLevel
    let address: PublicAddress

    /// Fields of a request that went well.
    private static let usualFields = 8

    /// - Parameters:
    ///   - bodyBytes: of the answer's body.
    ///   - duration: until the answer was there; until it was sent, for those that were held or written bit by bit.
    ///   - trace: where the request stands in a trace of its client's.
    func record(
        _ head: HTTPRequestHead, _ route: RouteName, status: Int, bodyBytes: Int64, refusals: [CloudError] = [],
        requestUUID: String, trace: RequestSpan? = nil, duration: Duration
    ) {
        let level = status >= 500 && status != 503 ? .error : refusals.isEmpty ? level : max(level, .info)
        guard level >= logger.level else { return }
        var fields = LogFields(capacity: Self.usualFields)
        fields.append("uuid", requestUUID)
        fields.append("method", head.method)
        fields.append("route", route.label)
        fields.append("status", status)
        fields.append("bytes", .integer(bodyBytes))
        let (seconds, attoseconds) = duration.components
        fields.append(
            "milliseconds", .double(Double(attoseconds / 1_000_000_000_000) / 1_000 + Double(seconds) * 1_000))
        fields.append("client", address.client(of: head))
        if let trace { fields.append(trace) }
        // Other queries may hold the state of a sign-in, which is for the person's browser alone.
        if route == .console, case .console(let segments) = Router.route(method: head.method, path: head.path) {
            fields.append("target", ConsoleRoutes.label(head.method, segments))
        } else if case .webService = route {
            fields.append("target", TargetMeaning.of(head).redacted)
        } else if ![.assetUpload, .assetDownload, .share].contains(route) {
            // The paths of assets open them, and those of one-time links let in whoever comes first.
            fields.append("target", head.path)
        }
        if let first = refusals.first {
            fields.append("code", first.code.rawValue)
            fields.append("reason", first.reason)
            if refusals.count > 1 { fields.append("refusals", refusals.count) }
        }
        logger.log(level, "request", fields)
    }

    /// A line for what the transport refused before there was a request.
    func recordRefusal(status: Int, _ error: CloudError, requestUUID: String) {
        logger.info(
            "refused",
            [
                "uuid": .string(requestUUID), "status": .integer(Int64(status)), "code": .string(error.code.rawValue),
                "reason": .string(error.reason),
            ])
    }
}
