import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// Finds the session that a browser brings to a page for people, and begins one.
struct BrowserSessions: Sendable {
    let service: CloudService
    let address: PublicAddress

    func cookie(_ head: HTTPRequestHead) -> SessionCookie {
        SessionCookie(.account, isSecure: address.isSecureFor(head))
    }

    /// The person of the browser's session; nil if nobody is signed in there.
    func holder(_ head: HTTPRequestHead) async throws(CloudError) -> AccountHolder? {
        guard let session = cookie(head).value(in: head.headers) else { return nil }
        return try await service.accountHolder(session: session)
    }

    /// Mails a link to the person who filled in the form of ``SignUpPages/offer(action:isOffered:)``.
    func signUp(
        _ fields: FormFields, shortGUID: String?, _ head: HTTPRequestHead
    ) async throws(CloudError) -> HTTPResponse {
        try await service.requestSignUp(
            email: fields["email"] ?? "", shortGUID: shortGUID, source: address.network(of: head))
        return PageResponse.make(status: 200, SignUpPages.sent)
    }

    /// Signs in the person who filled in a ``SignInForm``.
    /// - Returns: the header that gives the browser its session.
    func enter(_ fields: FormFields, _ head: HTTPRequestHead) async throws(CloudError) -> (String, String) {
        let session = try await service.beginAccountSession(
            email: fields["email"] ?? "", password: fields["password"] ?? "", source: address.network(of: head),
            agent: head.headers["User-Agent"])
        return cookie(head).setting(session)
    }
}
