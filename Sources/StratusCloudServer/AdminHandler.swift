import StratusHTTPTransport
import StratusTelemetry

/// Answers the admin listener, which only the operator's tools reach.
final class AdminHandler: HTTPHandler {
    private let operations: OperationsHandler
    private let metricsPage: MetricsPage
    private let identifiers = RequestIdentifiers()
    private let metrics: RequestMetrics

    init(readiness: Readiness, registry: MetricsRegistry, metricsPage: MetricsPage) {
        operations = OperationsHandler(readiness: readiness)
        self.metricsPage = metricsPage
        metrics = RequestMetrics(registry: registry, listener: "admin")
    }

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy { .buffered(limit: ServerLimits.ignoredBodySize) }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let route = Router.route(method: request.head.method, path: request.head.path)
        let response: HTTPResponse
        switch route {
        case .metrics: response = metricsPage.response()
        case .liveness: response = operations.liveness()
        case .readiness: response = await operations.readinessAnswer()
        case .refused(let refusal): response = refuse(refusal, request.head)
        case .webService, .signIn, .deviceSession, .signOut, .account, .signUp, .password, .shares, .share, .poll,
            .eventStream,
            .webPushKey, .consolePage, .home, .console,
            .preflight,
            .assetUpload, .assetDownload, .published, .backup, .webDAV, .files:
            response = refuse(.notFound, request.head)
        }
        metrics.record(route.name, status: response.status, duration: ContinuousClock.now - start)
        return response
    }

    private func refuse(_ refusal: RouteRefusal, _ head: HTTPRequestHead) -> HTTPResponse {
        let requestUUID = identifiers.make()
        return WebServiceAnswer(refusal, requestUUID: requestUUID).response(to: head, requestUUID: requestUUID)
    }
}
