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
        // The query of a sign-in holds its state, which is for the person's browser alone.
        fields.append("target", route == .signIn ? head.path : Redaction.requestTarget(head.target))
        if let refusal {
            fields.append("code", refusal.code.rawValue)
            fields.append("reason", refusal.reason)
        }
        logger.log(level, "request", fields)
    }
}
