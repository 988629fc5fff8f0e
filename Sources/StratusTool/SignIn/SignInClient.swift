import FoundationEssentials
import StratusCloudCrypto
import StratusHTTPClient

/// Signs in to a cloud and out of it, over HTTP.
struct SignInClient: Sendable {
    /// A device's session.
    struct Session: Decodable, Sendable {
        var ckWebAuthToken: String
        var userRecordName: String
    }

    private struct Refusal: Decodable {
        var serverErrorCode: String
        var reason: String
        var redirectURL: String?
    }

    /// Scheme, host and port, without a slash at the end.
    let url: String
    private let http: HTTPClient

    /// - Parameter certificateAuthorityFile: nil for the system's.
    init(url: String, certificateAuthorityFile: String?) throws(ToolError) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        var options = HTTPClientOptions()
        options.certificateAuthorityFile = certificateAuthorityFile
        options.usesEnvironmentProxy = true
        options.timeout = .seconds(30)
        http = HTTPClient(options: options)
    }

    /// The address of the sign-in page for an app.
    func page(container: String, environment: String, apiToken: String) async throws(ToolError) -> String {
        let path = [container, environment].map(PercentEncoding.encode).joined(separator: "/")
        let response = try await send(
            HTTPClientRequest(
                url: "\(url)/database/1/\(path)/public/users/caller?"
                    + PercentEncoding.encode([("ckAPIToken", apiToken)])))
        guard response.status == 421, let page = Self.refusal(response)?.redirectURL else {
            if response.status == 401 {
                throw ToolError(
                    "the server has no such API token for '\(container)' (\(environment))",
                    code: "AUTHENTICATION_FAILED")
            }
            throw Self.error(response)
        }
        return page
    }

    /// Takes up a session with what the sign-in page gave.
    func session(code: String, secret: String) async throws(ToolError) -> Session {
        try await session([("code", code), ("secret", secret)])
    }

    /// Takes up a session with a password, for the app of a sign-in page.
    func session(page: String, email: String, password: String) async throws(ToolError) -> Session {
        let state = page.split(separator: "state=", maxSplits: 1).last.map(String.init) ?? ""
        return try await session([("state", state), ("email", email), ("password", password)])
    }

    private func session(_ fields: [(String, String)]) async throws(ToolError) -> Session {
        let response = try await post("/sign-in/device", fields)
        guard response.status == 200 else { throw Self.error(response) }
        do {
            return try JSONDecoder().decode(Session.self, from: Data(response.body))
        } catch {
            throw ToolError("'\(url)' is not a Stratus server")
        }
    }

    /// Ends a session for good.
    func signOut(_ webAuthToken: String) async throws(ToolError) {
        let response = try await post("/sign-out", [("ckWebAuthToken", webAuthToken)])
        guard response.status == 200 else { throw Self.error(response) }
    }

    private func post(_ path: String, _ fields: [(String, String)]) async throws(ToolError) -> HTTPClientResponse {
        let form = PercentEncoding.encode(fields.map { (name: $0.0, value: $0.1) })
        return try await send(
            HTTPClientRequest(
                method: "POST", url: url + path, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: Array(form.utf8)))
    }

    private func send(_ request: HTTPClientRequest) async throws(ToolError) -> HTTPClientResponse {
        do {
            return try await http.send(request)
        } catch {
            let hint =
                error.code == .tls ? "; STRATUS_CA_FILE names a certificate authority of your own" : ""
            throw ToolError("'\(url)' cannot be reached: \(error.message)\(hint)", code: "UNREACHABLE")
        }
    }

    private static func refusal(_ response: HTTPClientResponse) -> Refusal? {
        try? JSONDecoder().decode(Refusal.self, from: Data(response.body))
    }

    private static func error(_ response: HTTPClientResponse) -> ToolError {
        guard let refusal = refusal(response) else {
            return ToolError("the server answered with the HTTP status \(response.status)")
        }
        return ToolError(refusal.reason, code: refusal.serverErrorCode)
    }
}
