import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/password`: people who forgot their password ask for a link, and choose another one with it.
struct PasswordHandler: Sendable {
    static let path = "/password"

    let service: CloudService
    let address: PublicAddress

    /// Answers a request, with words for people whatever happens; the errors are for the log.
    func respond(to request: HTTPRequest) async -> (HTTPResponse, [CloudError]) {
        let head = request.head
        do throws(CloudError) {
            guard head.method == "POST" else {
                let ticket = FormFields(Array((head.query ?? "").utf8))?["ticket"]
                return (Self.page(200, try await show(ticket, head)), [])
            }
            guard address.isOwnPage(head) else {
                throw CloudError(.accessDenied, "the form is no longer valid; open the page again")
            }
            guard let fields = FormFields(request.body.bytes) else { throw ShareForm.incomplete }
            if let ticket = fields["ticket"] { return try await reset(ticket, fields, head) }
            return await send(fields["email"] ?? "", head)
        } catch {
            return Self.refused(Page.failure(title: "Something went wrong", explanation: error.sentence), error)
        }
    }

    private func show(_ ticket: String?, _ head: HTTPRequestHead) async throws(CloudError) -> String {
        guard let ticket else { return service.sendsMail ? PasswordPages.request() : PasswordPages.noMail }
        let email = try await service.passwordResetEmail(ticket: ticket, source: address.network(of: head))
        return PasswordPages.choose(ticket: ticket, email: email)
    }

    private func send(_ email: String, _ head: HTTPRequestHead) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            try await service.requestPasswordReset(email: email, source: address.network(of: head))
            return (Self.page(200, PasswordPages.sent), [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            return Self.refused(PasswordPages.request(email: email, notice: notice), error)
        }
    }

    private func reset(
        _ ticket: String, _ fields: FormFields, _ head: HTTPRequestHead
    ) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        let source = address.network(of: head)
        let email = try await service.passwordResetEmail(ticket: ticket, source: source)
        do throws(CloudError) {
            try await service.resetPassword(ticket: ticket, to: try NewPassword.read(fields), source: source)
            // The browser is not signed in: whoever is at it shows first that they know the new password.
            return (PageResponse.redirect(to: "/account?done=password-reset"), [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            return Self.refused(PasswordPages.choose(ticket: ticket, email: email, notice: notice), error)
        }
    }

    private static func page(_ status: Int, _ html: String) -> HTTPResponse {
        PageResponse.make(status: status, html)
    }

    private static func refused(_ html: String, _ error: CloudError) -> (HTTPResponse, [CloudError]) {
        var response = page(error.code.httpStatus, html)
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return (response, [error])
    }
}
