import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/sign-up`: the page on which the link of a mail creates an account.
struct SignUpHandler: Sendable {
    let service: CloudService
    let address: PublicAddress

    /// Answers a request, with words for people whatever happens; the errors are for the log.
    func respond(to request: HTTPRequest) async -> (HTTPResponse, [CloudError]) {
        let head = request.head
        do throws(CloudError) {
            guard head.method == "POST" else {
                let text = FormFields(Array((head.query ?? "").utf8))?["ticket"] ?? ""
                return (Self.page(200, SignUpPages.form(try service.signUpTicket(text), text: text)), [])
            }
            guard address.isOwnPage(head) else {
                throw CloudError(.accessDenied, "the form is no longer valid; open the link again")
            }
            guard let fields = FormFields(request.body.bytes), let text = fields["ticket"] else {
                throw ShareForm.incomplete
            }
            return await make(try service.signUpTicket(text), text, fields, head)
        } catch {
            let page = Page.failure(title: "Something went wrong", explanation: error.sentence)
            return (Self.page(error.code.httpStatus, page), [error])
        }
    }

    private func make(
        _ ticket: SignUpTicket, _ text: String, _ fields: FormFields, _ head: HTTPRequestHead
    ) async -> (HTTPResponse, [CloudError]) {
        let names = (fields["given"] ?? "", fields["family"] ?? "")
        do throws(CloudError) {
            let password = try NewPassword.read(fields)
            let session = try await service.signUp(
                ticket: text, password: password, givenName: names.0, familyName: names.1,
                source: address.network(of: head), agent: head.headers["User-Agent"])
            let place = ticket.shortGUID.map { "/share/" + PercentEncoding.encode($0) } ?? "/account"
            var response = PageResponse.redirect(to: place)
            let sessions = BrowserSessions(service: service, address: address)
            response.headers.append(sessions.cookie(head).setting(session))
            return (response, [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            let page = SignUpPages.form(ticket, text: text, names: names, problem: notice)
            return (Self.page(error.code.httpStatus, page), [error])
        }
    }

    private static func page(_ status: Int, _ html: String) -> HTTPResponse {
        PageResponse.make(status: status, html)
    }
}
