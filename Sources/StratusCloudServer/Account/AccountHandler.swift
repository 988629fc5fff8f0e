import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport

/// `/account`: a person looks after their own account. One page that shows it, and forms that change it.
struct AccountHandler: Sendable {
    let service: CloudService
    let address: PublicAddress
    private var sessions: BrowserSessions { BrowserSessions(service: service, address: address) }

    private var offersSignUp: Bool { service.signUpPolicy == .open }

    private static let path = "/account"

    /// Answers a request, with words for people whatever happens; the errors are for the log.
    func respond(to request: HTTPRequest) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            let head = request.head
            let cookie = sessions.cookie(head)
            let holder = try await sessions.holder(head)
            guard head.method == "POST" else { return (try await show(holder, head), []) }
            guard address.isOwnPage(head) else { return refusedForm() }
            guard let fields = FormFields(request.body.bytes), let action = fields["action"] else {
                return failure(ShareForm.incomplete)
            }
            if action == "sign-in" { return await signIn(fields, head) }
            if action == "sign-up", service.signUpPolicy == .open {
                return (try await sessions.signUp(fields, shortGUID: nil, head), [])
            }
            guard let holder else {
                return (page(401, AccountPages.signIn(offersSignUp: offersSignUp, notice: Self.signedOut)), [])
            }
            guard holder.accepts(formToken: fields["form"] ?? "") else { return refusedForm() }
            return try await perform(action, fields, holder, head, cookie)
        } catch {
            return failure(error)
        }
    }

    private static let signedOut = Notice(text: "You are signed out. Sign in again.", isProblem: true)

    private func show(_ holder: AccountHolder?, _ head: HTTPRequestHead) async throws(CloudError) -> HTTPResponse {
        let notice = FormFields(Array((head.query ?? "").utf8))?["done"].flatMap { Done(rawValue: $0) }
            .map { Notice(text: $0.text, isProblem: false) }
        guard let holder else { return page(200, AccountPages.signIn(offersSignUp: offersSignUp, notice: notice)) }
        return page(
            200,
            AccountPages.overview(
                try await service.accountOverview(for: holder), formToken: holder.formToken, notice: notice))
    }

    private func signIn(
        _ fields: FormFields, _ head: HTTPRequestHead
    ) async -> (HTTPResponse, [CloudError]) {
        do {
            return (done(nil, [try await sessions.enter(fields, head)]), [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            return refused(
                AccountPages.signIn(email: fields["email"] ?? "", offersSignUp: offersSignUp, notice: notice), error)
        }
    }

    private func perform(
        _ action: String, _ fields: FormFields, _ holder: AccountHolder, _ head: HTTPRequestHead,
        _ cookie: SessionCookie
    ) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        switch action {
        case "discoverable":
            guard let container = ContainerIdentifier(fields["container"] ?? ""),
                let environment = CloudEnvironment(rawValue: fields["environment"] ?? ""),
                let choice = fields["discoverable"], ["yes", "no"].contains(choice)
            else { throw ShareForm.incomplete }
            try await service.setDiscoverable(
                choice == "yes", in: CloudContext(container: container, environment: environment), for: holder)
            return (done(choice == "yes" ? .found : .hidden), [])
        case "unlink":
            guard let developer = fields["developer"] else {
                throw ShareForm.incomplete
            }
            try await service.unlinkConsole(of: developer, for: holder)
            return (done(.unlinked), [])
        case "end-session":
            try await service.endSession(fields["session"] ?? "", of: holder)
            return (done(.sessionEnded), [])
        case "create-app-password": return try await createAppPassword(fields, holder)
        case "delete-app-password":
            try await service.deleteAppPassword(named: fields["name"] ?? "", of: holder)
            return (done(.appPasswordRevoked), [])
        case "delete-backup":
            guard let device = BackupDevice(fields["device"] ?? "") else { throw ShareForm.incomplete }
            guard fields["confirm"] != nil else {
                throw CloudError(.badRequest, "confirm that the backup is to be deleted for good")
            }
            try await service.deleteDeviceBackup(of: device, for: holder)
            return (done(.backupDeleted), [])
        case "delete": return try await delete(fields, holder, head, cookie)
        case "password": return try await changePassword(fields, holder, head, cookie)
        case "sign-out":
            try await service.endAccountSession(of: holder)
            return (done(.signedOut, [cookie.clearing]), [])
        case "sign-out-everywhere":
            try await service.endAllSessions(of: holder)
            return (done(.everywhere, [cookie.clearing]), [])
        default: throw ShareForm.incomplete
        }
    }

    private func createAppPassword(
        _ fields: FormFields, _ holder: AccountHolder
    ) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        guard let name = fields["name"], let environment = CloudEnvironment(rawValue: fields["environment"] ?? "")
        else {
            throw ShareForm.incomplete
        }
        do throws(CloudError) {
            let secret = try await service.createAppPassword(
                named: name, in: environment, mayDeleteBackups: fields["deletes"] != nil, for: holder)
            // Not a redirect, whose address would have to hold the secret. Sent again, the form names a password that exists.
            return (page(200, AccountPages.newAppPassword(secret, named: name)), [])
        } catch {
            let overview = try await service.accountOverview(for: holder)
            return refused(
                AccountPages.overview(
                    overview, formToken: holder.formToken, notice: Notice(text: error.sentence, isProblem: true)),
                error)
        }
    }

    private func changePassword(
        _ fields: FormFields, _ holder: AccountHolder, _ head: HTTPRequestHead, _ cookie: SessionCookie
    ) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            guard let current = fields["current"] else { throw ShareForm.incomplete }
            let session = try await service.changePassword(
                from: current, to: try NewPassword.read(fields), for: holder, source: address.network(of: head),
                agent: head.headers["User-Agent"])
            return (done(.password, [cookie.setting(session)]), [])
        } catch {
            let overview = try await service.accountOverview(for: holder)
            return refused(
                AccountPages.overview(
                    overview, formToken: holder.formToken, notice: Notice(text: error.sentence, isProblem: true)),
                error)
        }
    }

    private func delete(
        _ fields: FormFields, _ holder: AccountHolder, _ head: HTTPRequestHead, _ cookie: SessionCookie
    ) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            try await service.eraseAccount(
                password: fields["password"] ?? "", deletingPublicRecords: fields["public"] != nil, of: holder,
                source: address.network(of: head))
            return (done(.deleted, [cookie.clearing]), [])
        } catch {
            let overview = try await service.accountOverview(for: holder)
            return refused(
                AccountPages.overview(
                    overview, formToken: holder.formToken, notice: Notice(text: error.sentence, isProblem: true),
                    isDeleting: true), error)
        }
    }

    // MARK: - Answers

    /// What was done, as the address of the page that says so.
    private enum Done: String {
        case found, hidden, unlinked, password, everywhere, deleted
        case passwordReset = "password-reset"
        case sessionEnded = "session-ended"
        case appPasswordRevoked = "app-password-revoked"
        case backupDeleted = "backup-deleted"
        case signedOut = "signed-out"

        var text: String {
            switch self {
            case .found: "Others can now find you in this app."
            case .hidden: "Others can no longer find you in this app."
            case .unlinked: "The developer can no longer see your private data."
            case .password: "Your password has been changed. All apps, devices and other browsers are signed out."
            case .passwordReset: "Your password has been changed. Sign in with the new one."
            case .sessionEnded: "The device or browser is signed out."
            case .backupDeleted: "The backup has been deleted."
            case .appPasswordRevoked: "The app password has been revoked."
            case .deleted: "Your account and your data have been deleted."
            case .signedOut: "You are signed out."
            case .everywhere: "You are signed out everywhere."
            }
        }
    }

    /// Back to the page, so that reloading it repeats nothing.
    private func done(_ done: Done?, _ headers: [(String, String)] = []) -> HTTPResponse {
        var response = PageResponse.redirect(to: Self.path + (done.map { "?done=\($0.rawValue)" } ?? ""))
        response.headers += headers
        return response
    }

    private func refused(_ html: String, _ error: CloudError) -> (HTTPResponse, [CloudError]) {
        var response = page(error.code.httpStatus, html)
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return (response, [error])
    }

    private func failure(_ error: CloudError) -> (HTTPResponse, [CloudError]) {
        refused(Page.failure(title: "Something went wrong", explanation: error.sentence), error)
    }

    private func refusedForm() -> (HTTPResponse, [CloudError]) {
        failure(CloudError(.accessDenied, "the form is no longer valid; open your account again"))
    }

    private func page(_ status: Int, _ html: String) -> HTTPResponse { PageResponse.make(status: status, html) }
}
