import CloudModel
import HTTPTransport
import Telemetry

/// One line a request where the operator wants it, and always for those that failed by the server's fault.
struct AccessLog: Sendable {
    let logger: Logger
    /// The level of requests that went well, or wrong by the client's fault.
    let level: LogLevel
    let address: PublicAddress

    func record(
        _ head: HTTPRequestHead, _ route: RouteName, status: Int, refusal: CloudError? = nil, requestUUID: String,
        duration: Duration
    ) {
        let level = status >= 500 && status != 503 ? LogLevel.error : level
        guard level >= logger.level else { return }
        var fields: LogFields = [
            "uuid": .string(requestUUID), "method": .string(head.method), "route": .string(route.label),
            "status": .integer(Int64(status)),
            "milliseconds": .double(
                Double(duration.components.attoseconds / 1_000_000_000_000) / 1_000
                    + Double(duration.components.seconds) * 1_000),
            "client": .string(address.client(of: head)),
        ]
        // Other queries may hold the state of a sign-in, which is for the person's browser alone.
        if case .webService = route {
            fields.append("target", Redaction.requestTarget(head.target))
        } else {
            fields.append("target", head.path)
        }
        if let refusal {
            fields.append("code", refusal.code.rawValue)
            fields.append("reason", refusal.reason)
        }
        logger.log(level, "request", fields)
    }
}
