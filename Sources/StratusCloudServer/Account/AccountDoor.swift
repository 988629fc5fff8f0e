import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// Who stands before a page for people: the session that their browser brings, and how it begins.
struct AccountDoor: Sendable {
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

    /// Mails a link to who filled in the form of ``SignUpPages/offer(action:isOffered:)``.
    func signUp(
        _ fields: FormFields, shortGUID: String?, _ head: HTTPRequestHead
    ) async throws(CloudError) -> HTTPResponse {
        try await service.requestSignUp(
            email: fields["email"] ?? "", shortGUID: shortGUID, source: address.network(of: head))
        return PageResponse.make(status: 200, SignUpPages.sent)
    }

    /// Signs in who filled in a ``SignInForm``.
    /// - Returns: the header that gives the browser its session.
    func enter(_ fields: FormFields, _ head: HTTPRequestHead) async throws(CloudError) -> (String, String) {
        let session = try await service.beginAccountSession(
            email: fields["email"] ?? "", password: fields["password"] ?? "", source: address.network(of: head))
        return cookie(head).setting(session)
    }
}
