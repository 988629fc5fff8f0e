import StratusCloudCrypto
import StratusHTTPClient

/// A client of one database, speaking CloudKit Web Services as a plain program would.
public struct Database: Sendable {
    /// Scheme, host and port.
    public var server: String
    /// The container's identifier.
    public var container: String
    /// `development` or `production`
    public var environment = "development"
    /// `public`, `private` or `shared`
    public var scope: String
    /// Who asks.
    public var credential: Credential

    /// A client.
    public init(
        server: String, container: String, environment: String = "development", scope: String, credential: Credential
    ) {
        self.server = server
        self.container = container
        self.environment = environment
        self.scope = scope
        self.credential = credential
    }

    /// All tests' connections.
    public static let http: HTTPClient = {
        var options = HTTPClientOptions()
        options.connectionsPerHost = 256
        return HTTPClient(options: options)
    }()

    /// `/database/1/CONTAINER/ENVIRONMENT/SCOPE/` and `action`.
    public func path(_ action: String) -> String { "/database/1/\(container)/\(environment)/\(scope)/\(action)" }

    /// Sends any request to a path of the server with this client's credential.
    public func send(
        _ method: String, path: String, query: [String] = [], headers: HTTPHeaders = [:], body: [UInt8] = []
    ) async throws -> Answer {
        var request = HTTPClientRequest(method: method, url: server + path, headers: headers, body: body)
        if case .key(let id, let key) = credential {
            for field in try Signature(keyID: id, key: key, path: path, body: body).headers {
                request.headers.append(field.name, field.value)
            }
        }
        let items = query + credential.queryItems
        if !items.isEmpty { request.url += "?" + items.joined(separator: "&") }
        return Answer(try await Self.http.send(request), to: request)
    }

    /// Posts JSON to an action such as `records/query`.
    public func post(_ action: String, _ body: JSON) async throws -> Answer { try await post(action, text: body.text) }

    /// Posts a literal text.
    public func post(_ action: String, text: String) async throws -> Answer {
        try await post(action, bytes: Array(text.utf8))
    }

    /// Posts any bytes.
    public func post(_ action: String, bytes: [UInt8]) async throws -> Answer {
        try await send("POST", path: path(action), headers: ["Content-Type": "application/json"], body: bytes)
    }

    /// Gets an action such as `zones/list`.
    public func get(_ action: String) async throws -> Answer { try await send("GET", path: path(action)) }

    /// `records/modify`
    public func modify(
        _ operations: [JSON], zone: String? = nil, atomic: Bool? = nil, _ options: JSON = [:]
    ) async throws -> Answer {
        var body: JSON = ["operations": .array(operations)]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        if let atomic { body["atomic"] = .bool(atomic) }
        return try await post("records/modify", body.merging(options))
    }

    /// `records/lookup`
    public func lookup(_ names: [String], zone: String? = nil, _ options: JSON = [:]) async throws -> Answer {
        var body: JSON = ["records": .array(names.map { ["recordName": .string($0)] })]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return try await post("records/lookup", body.merging(options))
    }

    /// `records/query`
    public func query(
        _ type: String, filters: [JSON] = [], sorts: [JSON] = [], zone: String? = nil, _ options: JSON = [:]
    ) async throws -> Answer {
        var query: JSON = ["recordType": .string(type)]
        if !filters.isEmpty { query["filterBy"] = .array(filters) }
        if !sorts.isEmpty { query["sortBy"] = .array(sorts) }
        var body: JSON = ["query": query]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return try await post("records/query", body.merging(options))
    }

    /// `zones/modify` with one operation.
    public func zone(_ operation: String, _ name: String) async throws -> Answer {
        let zoneID: JSON = ["zoneName": .string(name)]
        return try await post(
            "zones/modify", ["operations": [["operationType": .string(operation), "zone": ["zoneID": zoneID]]]])
    }
}
