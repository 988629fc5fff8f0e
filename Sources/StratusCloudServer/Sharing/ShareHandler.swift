import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/share/…`: what a share link opens in a browser. A page for everybody who may come, and forms that change where they
/// stand; for owner and administrators a page that says who takes part.
///
/// Before the sign-in the page is the same for every link, and nothing is looked up.
struct ShareHandler: Sendable {
    let service: CloudService
    let address: PublicAddress
    private var sessions: BrowserSessions { BrowserSessions(service: service, address: address) }

    /// Answers a request, with words for people whatever happens; the errors are for the log.
    func respond(to request: HTTPRequest, shortGUID: String) async -> (HTTPResponse, [CloudError]) {
        let head = request.head
        let place = Place(
            shortGUID: shortGUID, base: address.base(for: head), offersSignUp: service.signUpPolicy != .closed)
        do throws(CloudError) {
            let holder = try await sessions.holder(head)
            guard head.method == "POST" else {
                return (try await show(place, holder, done: ShareDone(head)), [])
            }
            guard address.isOwnPage(head) else { return Self.refusedForm }
            guard let fields = FormFields(request.body.bytes), let action = fields["action"] else {
                throw ShareForm.incomplete
            }
            if action == "sign-in" { return await signIn(place, fields, head) }
            if action == "sign-up" { return (try await sessions.signUp(fields, shortGUID: shortGUID, head), []) }
            guard let holder else {
                let notice = Notice(text: "You are signed out. Sign in again.", isProblem: true)
                return (Self.page(401, place.pages(notice).signIn()), [])
            }
            guard holder.accepts(formToken: fields["form"] ?? "") else { return Self.refusedForm }
            return await submit(ShareForm(action: action, fields: fields), place, holder)
        } catch {
            return Self.failure(error)
        }
    }

    /// A link of this server.
    private struct Place {
        let shortGUID: String
        /// Scheme and host of this server.
        let base: String?
        let offersSignUp: Bool

        var path: String { "/share/" + PercentEncoding.encode(shortGUID) }
        var linkBase: String? { base.map { HTML.escape($0) + "/share/" } }

        func pages(_ notice: Notice? = nil) -> SharePages {
            SharePages(
                path: path, url: base.map { HTML.escape($0 + path) }, notice: notice, offersSignUp: offersSignUp)
        }
    }

    private func signIn(
        _ place: Place, _ fields: FormFields, _ head: HTTPRequestHead
    ) async -> (HTTPResponse, [CloudError]) {
        do {
            let cookie = try await sessions.enter(fields, head)
            var response = PageResponse.redirect(to: place.path)
            response.headers.append(cookie)
            return (response, [])
        } catch {
            let pages = place.pages(Notice(text: error.sentence, isProblem: true))
            return Self.refused(pages.signIn(email: fields["email"] ?? ""), error)
        }
    }

    // MARK: - Showing

    private func show(
        _ place: Place, _ holder: AccountHolder?, done: ShareDone? = nil, problem: Notice? = nil
    ) async throws(CloudError) -> HTTPResponse {
        let notice = problem ?? done.map { Notice(text: $0.text, isProblem: false) }
        guard let holder else { return Self.page(200, place.pages(problem).signIn()) }
        let person = SharePerson(email: holder.email, formToken: holder.formToken)
        let pages = place.pages(notice)
        guard let visit = try await service.shareVisit(place.shortGUID, for: holder) else {
            return done?.isFarewell == true
                ? Self.page(200, pages.farewell(person)) : Self.page(404, pages.nothing(person))
        }
        switch visit.standing {
        case .outside where done?.isFarewell == true: return Self.page(200, pages.farewell(person))
        case .outside(let reason, let request): return Self.page(403, pages.outside(reason, request, person))
        case .link(let link):
            let link = link.value
            guard link.acceptance == .accepted else { return Self.page(200, pages.invitation(visit, link, person)) }
            let app = try await service.appLink(of: link.context.container)
            guard visit.isManager, let details = link.share.shareDetails?.value else {
                return Self.page(200, pages.joined(link, app, person))
            }
            let management = ShareManagementPages(
                pages: pages, link: link, details: details, person: person, app: app,
                sendsMail: service.sendsMail, linkBase: place.linkBase)
            return Self.page(200, management.page())
        }
    }

    // MARK: - Changing

    /// What is refused is said on the page as it is now.
    private func submit(
        _ form: ShareForm, _ place: Place, _ holder: AccountHolder
    ) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            do throws(CloudError) {
                let done = try await perform(form, place, holder)
                return (PageResponse.redirect(to: place.path + "?done=\(done.rawValue)"), [])
            } catch {
                var response = try await show(
                    place, holder, problem: Notice(text: ShareForm.sentence(error), isProblem: true))
                response.status = error.code.httpStatus
                if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
                return (response, [error])
            }
        } catch {
            return Self.failure(error)
        }
    }

    private func perform(
        _ form: ShareForm, _ place: Place, _ holder: AccountHolder
    ) async throws(CloudError) -> ShareDone {
        guard let visit = try await service.shareVisit(place.shortGUID, for: holder) else {
            throw CloudError(.notFound, "the link no longer works")
        }
        let caller = try await service.caller(for: holder, in: visit.context)
        switch form.action {
        case "accept":
            try await service.joinShare(place.shortGUID, as: caller)
            return .accepted
        case "decline", "leave":
            try await service.leaveShare(place.shortGUID, as: caller)
            return form.action == "leave" ? .left : .declined
        case "ask":
            try await service.requestShareAccess([place.shortGUID], as: caller)
            return .asked
        case "mail":
            try await service.sendInvitations(
                of: place.shortGUID, to: [try form.text("participant")], as: caller)
            return .mailed
        default: break
        }
        let link = try await service.shareLink(place.shortGUID, as: caller)
        if form.action == "stop" {
            try await service.endShare(link, as: caller)
            return .stopped
        }
        let (edit, done) = try form.edit()
        let sendsMail = form.fields["mail"] != nil
        try await service.editShare(link, edit, sendsMail: sendsMail, as: caller)
        guard sendsMail, case .invite = edit else { return done }
        return .mailed
    }

    // MARK: - Answers

    private static func page(_ status: Int, _ html: String) -> HTTPResponse {
        PageResponse.make(status: status, html)
    }

    private static func refused(_ html: String, _ error: CloudError) -> (HTTPResponse, [CloudError]) {
        var response = page(error.code.httpStatus, html)
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return (response, [error])
    }

    private static func failure(_ error: CloudError) -> (HTTPResponse, [CloudError]) {
        refused(Page.failure(title: "Something went wrong", explanation: error.sentence), error)
    }

    private static var refusedForm: (HTTPResponse, [CloudError]) {
        failure(CloudError(.accessDenied, "the form is no longer valid; open the link again"))
    }
}
