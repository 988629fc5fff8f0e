import StratusCloudModel
import StratusCloudService

/// A line of a container's log: the request and its outcome, without anything about the sender.
struct ConsoleLogLine: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    let time: Int64
    let operation: String
    let scope: DatabaseScope
    let status: Int
    let microseconds: Int64
    let bytes: Int64
    /// Identifies the request. Its sender got the same UUID.
    let uuid: String
    /// The code of the first refusal, of the request or of one of its items.
    var code: String?
    /// The reason of the first refusal. It is left out where it may name a person, and in production also where it may
    /// name a person's data, because an app may put anything into such names.
    var reason: String?

    init(
        time: Int64, _ call: WebServiceCall, status: Int, microseconds: Int64, bytes: Int64, uuid: String,
        refusals: [CloudError]
    ) {
        self.time = time
        operation = call.operation.rawValue
        scope = call.scope
        self.status = status
        self.microseconds = microseconds
        self.bytes = bytes
        self.uuid = uuid
        guard let first = refusals.first else { return }
        code = first.code.rawValue
        switch call.operation.subject {
        case .people: break
        case .data where call.scope == .public: reason = first.reason
        case .data, .devices: if call.context.environment == .development { reason = first.reason }
        }
    }

    var level: String {
        if status >= 500, status != 503 { return "error" }
        return code == nil ? "info" : "warning"
    }

    var json: ConsoleJSON {
        var members: [(String, ConsoleJSON)] = [
            ("time", .integer(time)), ("level", .string(level)), ("message", "request"),
            ("operation", .string(operation)), ("database", .string(scope.rawValue)),
            ("status", .integer(Int64(status))), ("durationMs", .double(Double(microseconds) / 1_000)),
            ("bytes", .integer(bytes)), ("uuid", .string(uuid)),
        ]
        if let code { members.append(("code", .string(code))) }
        if let reason { members.append(("reason", .string(reason))) }
        return .object(members)
    }
}
