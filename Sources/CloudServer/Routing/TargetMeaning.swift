import HTTPTransport
import Telemetry

/// What the target of a request means to this server: found out once for all requests of a connection that repeat it,
/// as those of a device do that saves one record after another.
final class TargetMeaning: Sendable {
    private let target: HTTPTarget
    private let method: String
    private let routeOfMethod: Route
    /// What a web service is told in the query.
    let parameters: QueryParameters
    /// What may be logged of the target of a web service.
    let redacted: String

    private init(_ target: HTTPTarget, method: String) {
        self.target = target
        self.method = method
        routeOfMethod = Router.route(method: method, path: target.path)
        parameters = QueryParameters(target.query)
        redacted = Redaction.requestTarget(target.text)
    }

    /// Where a request of a method goes.
    func route(of method: String) -> Route {
        method == self.method ? routeOfMethod : Router.route(method: method, path: target.path)
    }

    static func of(_ head: HTTPRequestHead) -> TargetMeaning {
        let found = head.requestTarget.finding { TargetMeaning($0, method: head.method) }
        return found as? TargetMeaning ?? TargetMeaning(head.requestTarget, method: head.method)
    }
}
