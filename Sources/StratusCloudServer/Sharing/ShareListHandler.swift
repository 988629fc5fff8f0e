import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/share`: what a person shares, and what others share with them, with the way to the page of each. Whoever is signed in
/// sees their own; nobody else sees anything.
struct ShareListHandler: Sendable {
    let service: CloudService
    let address: PublicAddress
    private var sessions: BrowserSessions { BrowserSessions(service: service, address: address) }

    static let path = "/share"

    /// Answers a request, with words for people whatever happens; the errors are for the log.
    func respond(to request: HTTPRequest) async -> (HTTPResponse, [CloudError]) {
        let head = request.head
        do throws(CloudError) {
            guard head.method == "POST" else {
                guard let holder = try await sessions.holder(head) else {
                    return (Self.page(ShareListPages.signIn()), [])
                }
                let overview = try await service.shareOverview(for: holder)
                return (
                    Self.page(
                        ShareListPages.list(
                            overview, SharePerson(email: holder.email, formToken: holder.formToken))), []
                )
            }
            guard address.isOwnPage(head) else {
                throw CloudError(.accessDenied, "the form is no longer valid; open the page again")
            }
            guard let fields = FormFields(request.body.bytes), fields["action"] == "sign-in" else {
                throw ShareForm.incomplete
            }
            return await signIn(fields, head)
        } catch {
            return Self.refused(Page.failure(title: "Something went wrong", explanation: error.sentence), error)
        }
    }

    private func signIn(_ fields: FormFields, _ head: HTTPRequestHead) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            let cookie = try await sessions.enter(fields, head)
            var response = PageResponse.redirect(to: Self.path)
            response.headers.append(cookie)
            return (response, [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            return Self.refused(ShareListPages.signIn(email: fields["email"] ?? "", notice: notice), error)
        }
    }

    private static func page(_ html: String) -> HTTPResponse { PageResponse.make(status: 200, html) }

    private static func refused(_ html: String, _ error: CloudError) -> (HTTPResponse, [CloudError]) {
        var response = PageResponse.make(status: error.code.httpStatus, html)
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return (response, [error])
    }
}
