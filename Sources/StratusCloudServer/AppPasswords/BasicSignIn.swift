import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// Signs in programs that send an e-mail address and an app password with each request (RFC 7617), as WebDAV clients and
/// restic do.
struct BasicSignIn: Sendable {
    let service: CloudService
    let address: PublicAddress
    private let delay = RefusalDelay()

    init(service: CloudService, address: PublicAddress) {
        self.service = service
        self.address = address
    }

    /// The header that goes with every 401: asks for the address and the app password.
    static let challenge = ("WWW-Authenticate", "Basic realm=\"Stratus\", charset=\"UTF-8\"")

    /// Returns the person whose app password a request brings. A client that asks too often waits a moment for its refusal.
    /// - Throws: `authenticationFailed` without an app password or for a wrong one, to be answered with ``challenge``;
    ///   `throttled` for too many of those, or too many requests; `accessDenied` for what another site's page sent.
    func holder(of head: HTTPRequestHead) async throws(CloudError) -> AppPasswordHolder {
        do throws(CloudError) {
            // A browser that knows an app password would send it with requests of other sites, too.
            guard !isFromAnotherSite(head) else {
                throw CloudError(.accessDenied, "pages of other sites cannot send this request")
            }
            let source = address.network(of: head)
            guard let (email, password) = Self.credentials(head.headers) else {
                try service.admit(from: source)
                throw CloudError(.authenticationFailed, "sign in with your e-mail address and an app password")
            }
            return try await service.authenticate(email: email, appPassword: password, source: source)
        } catch {
            if error.code == .throttled { await delay.wait() }
            throw error
        }
    }

    private func isFromAnotherSite(_ head: HTTPRequestHead) -> Bool {
        if let site = head.headers["Sec-Fetch-Site"] { return site != "same-origin" && site != "none" }
        return head.headers["Origin"].map { $0 != address.base(for: head) } ?? false
    }

    /// The address and the password of a request; nil where it has none, or what cannot be some.
    static func credentials(_ headers: HTTPHeaders) -> (email: String, password: String)? {
        let fields = headers.all("Authorization")
        guard fields.count == 1, let field = fields.first, field.utf8.count <= ServerLimits.basicCredentialsLength,
            case let parts = field.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "basic", let bytes = Base64.decode(String(parts[1])),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
