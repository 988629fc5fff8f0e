import StratusCloudModel
import StratusCloudService
import StratusCloudWire
import StratusHTTPTransport

/// A request to the console's API whose sender was found out, and may do what it asks.
struct ConsoleCall: Sendable {
    let request: HTTPRequest
    let requestUUID: String
    let service: CloudService
    let webServices: WebServices
    let address: PublicAddress
    let meter: ContextMeter
    let streams: StreamCount
    let cookie: SessionCookie
    let route: ConsoleRoute
    /// What was true of developers and teams before the sender was found out; see ``ConsoleWatch``.
    let generation: UInt64
    /// What stands in the path in the places of names, decoded.
    let parameters: [String: String]
    /// Who asks; nil where nobody needs to be signed in.
    let developer: DeveloperCaller?
    /// What the developer is in the container's team; nil where the path names none.
    let role: TeamRole?

    var head: HTTPRequestHead { request.head }
    /// What the sender is counted by.
    var source: String { address.network(of: head) }

    func signedIn() throws(CloudError) -> DeveloperCaller {
        guard let developer else { throw ConsoleCall.signInFirst }
        return developer
    }

    static let signInFirst = CloudError(.authenticationRequired, "sign in to the console")

    // MARK: - The path

    /// What stands in the path for a name of the route's pattern.
    func parameter(_ name: String) throws(CloudError) -> String {
        guard let value = parameters[name] else { throw CloudError(.notFound, RouteRefusal.notFound.reason) }
        return value
    }

    func container() throws(CloudError) -> ContainerIdentifier {
        try ConsoleRoute.container(try parameter(ConsoleRoute.containerName))
    }

    func environment() throws(CloudError) -> CloudEnvironment {
        guard let environment = CloudEnvironment(rawValue: try parameter(ConsoleRoute.environmentName)) else {
            throw CloudError(.notFound, RouteRefusal.notFound.reason)
        }
        return environment
    }

    func context() throws(CloudError) -> CloudContext {
        CloudContext(container: try container(), environment: try environment())
    }

    /// The value of a parameter of the query; nil without.
    func query(_ name: String) -> String? { QueryParameters.value(of: name, in: head.query) }

    // MARK: - The body

    func body() throws(CloudError) -> JSONReader {
        let body = try JSONReader(request.body.bytes, limit: webServices.decoder.bodyLimit)
        try body.requireObject()
        return body
    }

    /// Who does it, for the history.
    func by() throws(CloudError) -> String { try signedIn().email }
}

extension JSONReader {
    func text(_ name: StaticString) throws(CloudError) -> String { try required(name).string() }

    func optionalText(_ name: StaticString) throws(CloudError) -> String? { try member(name)?.string() }

    /// The strings of an array; none where it is missing.
    func texts(_ name: StaticString, atMost limit: Int) throws(CloudError) -> [String] {
        guard let array = member(name) else { return [] }
        guard array.count <= limit else { throw array.refusal("has more than \(limit) elements") }
        var texts: [String] = []
        for element in try array.elements() { texts.append(try element.string()) }
        return texts
    }
}
