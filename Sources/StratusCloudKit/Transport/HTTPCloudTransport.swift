import Foundation
import StratusCloudModel
import StratusCloudWire
import StratusHTTPClient
import StratusWorkers

/// Reaches a container over CloudKit Web Services.
public final class HTTPCloudTransport: CloudTransport {
    /// Where a cloud is, and as whom to ask.
    public struct Endpoint: Hashable, Sendable {
        /// Scheme, host and port, without a slash at the end.
        public var server: String
        /// The container.
        public var container: ContainerIdentifier
        /// Which copy of it.
        public var environment: CloudEnvironment
        /// Names the app.
        public var apiToken: String
        /// Names the person; nil where nobody is signed in.
        public var webAuthToken: String?
        /// The client's own name for itself, so that its devices are not told of what it does.
        public var clientID: String

        /// Puts together where a cloud is.
        public init(
            server: String, container: ContainerIdentifier, environment: CloudEnvironment, apiToken: String,
            webAuthToken: String? = nil, clientID: String = HTTPCloudTransport.processClientID
        ) {
            self.server = server.hasSuffix("/") ? String(server.dropLast()) : server
            self.container = container
            self.environment = environment
            self.apiToken = apiToken
            self.webAuthToken = webAuthToken
            self.clientID = clientID
        }
    }

    /// Names this process to the cloud.
    public static let processClientID = UUID().uuidString

    let endpoint: Endpoint
    let http: HTTPClient
    private let webAuthToken: Lock<String?>
    private let renewed: @Sendable (String) -> Void

    /// A transport on an HTTP client; all of a process should share one, whose connections they then share.
    /// - Parameter renewed: told of each web auth token that the server gives in the place of the one used.
    public init(
        _ endpoint: Endpoint, http: HTTPClient, renewed: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.endpoint = endpoint
        self.http = http
        self.renewed = renewed
        webAuthToken = Lock(endpoint.webAuthToken)
    }

    /// Whether there is a web auth token.
    public var isSignedIn: Bool { webAuthToken.withLock { $0 != nil } }

    /// The server's pages for links.
    public var shareLinkBase: String { endpoint.server + "/share/" }

    /// Uses another web auth token of the same session from now on; without one nobody is signed in, and stays so.
    public func adopt(_ token: String) { webAuthToken.withLock { if $0 != nil { $0 = token } } }

    /// Posts a request and reads its answer.
    public func send(_ request: CloudRequest) async throws(CloudTransportError) -> CloudAnswer {
        let body: [UInt8]
        do throws(CloudError) { body = try request.call.body() } catch { throw .refused(error, requestUUID: nil) }
        let response = try await exchange(
            HTTPClientRequest(
                method: "POST", url: url(request), headers: ["Content-Type": "application/json"], body: body,
                timeout: request.timeout))
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        if let token = response.headers["X-Apple-CloudKit-Web-Auth-Token"], !token.isEmpty, isSignedIn {
            adopt(token)
            renewed(token)
        }
        do throws(CloudError) {
            return try request.call.answer(response.body)
        } catch {
            throw .refused(error, requestUUID: response.headers["X-Apple-Request-UUID"])
        }
    }

    /// Asks for the room of the person's files.
    public func fileRoom() async throws(CloudTransportError) -> FileRoom? {
        let address =
            endpoint.server
            + "/database/1/\(endpoint.container)/\(endpoint.environment.rawValue)/public/users/fileRoom?"
            + credentials
        let response = try await exchange(HTTPClientRequest(url: address))
        guard (200..<300).contains(response.status) else { throw Self.refusal(response) }
        do throws(CloudError) {
            return try ResponseDecoder().fileRoom(response.body)
        } catch {
            throw .refused(error, requestUUID: response.headers["X-Apple-Request-UUID"])
        }
    }

    /// The address that a request is posted to.
    package func url(_ request: CloudRequest) -> String {
        endpoint.server + "/database/1/\(endpoint.container)/\(endpoint.environment.rawValue)/"
            + "\(request.scope.rawValue)/\(request.call.action)?" + credentials
    }

    /// The address of what is about this client rather than a database.
    func deviceURL(_ action: String) -> String {
        endpoint.server + "/device/1/\(endpoint.container)/\(endpoint.environment.rawValue)/\(action)?" + credentials
    }

    private var credentials: String {
        var items = [
            "ckAPIToken=" + PercentEncoding.encode(endpoint.apiToken),
            "clientId=" + PercentEncoding.encode(endpoint.clientID), "clientKind=native",
        ]
        if let token = webAuthToken.withLock({ $0 }) { items.append("ckWebAuthToken=" + PercentEncoding.encode(token)) }
        return items.joined(separator: "&")
    }

    /// Sends a request; any status is an answer.
    func exchange(_ request: HTTPClientRequest) async throws(CloudTransportError) -> HTTPClientResponse {
        do throws(HTTPClientError) {
            return try await http.send(request)
        } catch {
            switch error.code {
            case .cancelled: throw .cancelled
            case .cannotConnect, .forbiddenAddress, .invalidRequest: throw .unreachable(error.message)
            case .tls: throw .untrusted(error.message)
            default: throw .failed(error.message)
            }
        }
    }
}
