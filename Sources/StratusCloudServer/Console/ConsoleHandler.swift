import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/console/api/…`: finds the route, who asks and whether they may, and lets the route answer.
struct ConsoleHandler: Sendable {
    /// The header that scripts of this server set, and forms and links of others cannot.
    static let requestHeader = "X-Stratus-Console"

    let service: CloudService
    let webServices: WebServices
    let address: PublicAddress
    let meter: ContextMeter
    private let streams: StreamCount

    init(
        service: CloudService, webServices: WebServices, address: PublicAddress, meter: ContextMeter,
        streams: StreamCount
    ) {
        self.streams = streams
        self.service = service
        self.webServices = webServices
        self.address = address
        self.meter = meter
    }

    /// - Parameter segments: what stands behind `/console/api/`.
    func respond(
        to request: HTTPRequest, _ segments: [String], requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        let answer = await RequestTrace.$uuid.withValue(requestUUID) {
            do throws(CloudError) {
                return try await self.answer(request, segments, requestUUID)
            } catch {
                return ConsoleAnswer(refusing: error)
            }
        }
        return (answer.response(to: request.head, requestUUID: requestUUID), answer.refusals)
    }

    /// Why the body of a request is not read: nobody is signed in who could send it. Nil if it is read.
    func refusalOfBody(of head: HTTPRequestHead, requestUUID: String) async -> (HTTPResponse, [CloudError])? {
        do throws(CloudError) {
            try checkOrigin(head)
            let cookie = SessionCookie(.console, isSecure: address.isSecureFor(head))
            guard let session = cookie.value(in: head.headers),
                try await service.developer(session: session) != nil
            else { throw ConsoleCall.signInFirst }
            return nil
        } catch {
            let answer = ConsoleAnswer(refusing: error)
            return (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
        }
    }

    private func answer(
        _ request: HTTPRequest, _ segments: [String], _ requestUUID: String
    ) async throws(CloudError) -> ConsoleAnswer {
        let head = request.head
        let route: ConsoleRoute
        let parameters: [String: String]
        switch ConsoleRoutes.find(head.method, segments) {
        case .route(let found, let values): (route, parameters) = (found, values)
        case .methods(let methods):
            let refusal = RouteRefusal.method(head.method, allow: methods.joined(separator: ", "))
            return ConsoleAnswer(refusing: CloudError(refusal.code, refusal.reason), allow: refusal.allow)
        case .nothing: throw CloudError(.notFound, RouteRefusal.notFound.reason)
        }
        try checkOrigin(head)
        let cookie = SessionCookie(.console, isSecure: address.isSecureFor(head))
        let session = cookie.value(in: head.headers)
        let generation = service.developerGeneration
        var developer: DeveloperCaller?
        if let session { developer = try await service.developer(session: session) }
        let role = try await admit(developer, to: route, parameters)
        var answer = try await route.work(
            ConsoleCall(
                request: request, requestUUID: requestUUID, service: service, webServices: webServices,
                address: address, meter: meter, streams: streams, cookie: cookie, route: route, generation: generation,
                parameters: parameters, developer: developer, role: role))
        answer.isCompressible = route.isOnlyRead
        return answer
    }

    /// Refuses what another site's page may have sent in the name of who looks at it.
    private func checkOrigin(_ head: HTTPRequestHead) throws(CloudError) {
        guard head.method != "GET" else { return }
        guard head.headers[Self.requestHeader] == "1" else {
            throw CloudError(.accessDenied, "the header \(Self.requestHeader): 1 is missing")
        }
        guard address.isOwnPage(head) else {
            throw CloudError(.accessDenied, "the request was not sent by a page of this server")
        }
    }

    /// - Returns: the role in the team, for routes about a container.
    private func admit(
        _ developer: DeveloperCaller?, to route: ConsoleRoute, _ parameters: [String: String]
    ) async throws(CloudError) -> TeamRole? {
        if route.access == .anybody { return nil }
        guard let developer else { throw ConsoleCall.signInFirst }
        switch route.access {
        case .anybody, .developers: return nil
        case .owners:
            guard developer.isOwner else {
                throw CloudError(.accessDenied, "only owners of the server may do this")
            }
            return nil
        case .team(let act):
            let container = try ConsoleRoute.container(parameters[ConsoleRoute.containerName] ?? "")
            let environment = parameters[ConsoleRoute.environmentName].flatMap { CloudEnvironment(rawValue: $0) }
            return try await service.authorize(developer, to: act, in: container, environment)
        }
    }
}
