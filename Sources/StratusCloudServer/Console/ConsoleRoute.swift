import StratusCloudModel
import StratusCloudService

/// Who may call a route of the console's API.
enum ConsoleAccess: Hashable, Sendable {
    /// Everybody: what brings somebody in.
    case anybody
    /// Every developer who is signed in.
    case developers
    /// Those who own the server.
    case owners
    /// Those in the team of the container in the path whose role allows the act, in the environment in the path.
    case team(DeveloperAct)
}

/// One operation of the console's API: where it is, who may call it, and what it does.
struct ConsoleRoute: Sendable {
    typealias Work = @Sendable (ConsoleCall) async throws(CloudError) -> ConsoleAnswer

    static let containerName = "container"
    static let environmentName = "environment"

    let method: String
    /// Below `/console/api/`; a word that begins with a colon stands for any one segment.
    let path: String
    let access: ConsoleAccess
    let work: Work
    private let pieces: [Substring]

    init(_ method: String, _ path: String, _ access: ConsoleAccess, _ work: @escaping Work) {
        self.method = method
        self.path = path
        self.access = access
        self.work = work
        pieces = path.split(separator: "/")
    }

    /// Whether its answers may be compressed.
    ///
    /// How long a compressed answer is tells who watches the connection how much of it repeats itself. Whoever can have a
    /// text of their own beside a secret, again and again, finds the secret out so (CRIME, BREACH). Tokens, private keys,
    /// passwords, codes and sessions are in answers to what makes them, never in answers to GET. Records are asked for by
    /// POST as well: beside each other stand in them what anybody may have written, what others alone may see, and the
    /// signed addresses of assets.
    var isOnlyRead: Bool { method == "GET" }

    /// What stands for the names of the pattern, if the path is of this pattern.
    func parameters(of segments: [String]) -> [String: String]? {
        guard segments.count == pieces.count else { return nil }
        var parameters: [String: String] = [:]
        for (piece, segment) in zip(pieces, segments) {
            guard piece.first == ":" else {
                guard piece == segment else { return nil }
                // Of what is in one environment only, the path says so itself.
                if CloudEnvironment(rawValue: segment) != nil { parameters[Self.environmentName] = segment }
                continue
            }
            let name = String(piece.dropFirst())
            if name == Self.environmentName, CloudEnvironment(rawValue: segment) == nil { return nil }
            parameters[name] = segment
        }
        return parameters
    }

    static func container(_ text: String) throws(CloudError) -> ContainerIdentifier {
        guard let container = ContainerIdentifier(text) else {
            throw CloudError(.badRequest, "'\(text.prefix(64))' is not a container identifier")
        }
        return container
    }
}

/// All routes of the console's API.
enum ConsoleRoutes {
    static let all: [ConsoleRoute] =
        ConsoleSessions.routes + ConsoleAccount.routes + ConsoleTeams.routes + ConsoleSchemas.routes
        + ConsoleRoles.routes
        + ConsoleData.routes + ConsoleCredentials.routes + ConsoleTestAccounts.routes
        + ConsoleTelemetry.routes + ConsoleSettings.routes + ConsoleExport.routes + ConsoleWebhooks.routes

    enum Found {
        case route(ConsoleRoute, [String: String])
        /// There are other methods.
        case methods([String])
        case nothing
    }

    /// - Parameter segments: what stands behind `/console/api/`.
    static func find(_ method: String, _ segments: [String]) -> Found {
        var methods: [String] = []
        for route in all {
            guard let parameters = route.parameters(of: segments) else { continue }
            if route.method == method { return .route(route, parameters) }
            methods.append(route.method)
        }
        return methods.isEmpty ? .nothing : .methods(methods)
    }

    /// What the log says of a request: the route's pattern, since paths may hold codes and people's names.
    static func label(_ method: String, _ segments: [String]) -> String {
        guard case .route(let route, _) = find(method, segments) else { return "/console/api" }
        return "/console/api/" + route.path
    }
}
