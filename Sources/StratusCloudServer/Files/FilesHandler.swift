import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWorkers

/// `/files`: the page of a person's files, and `/files/api/<container>/<environment>/…`, which its scripts call.
///
/// Both are for the person who is signed in to the account's page in this browser. Every request is checked in
/// ``answer(_:_:)``: it comes from a page of this server, carries the session's cookie, and, if it changes something, the
/// token that the page was given. What the person may do then is decided by the service:
///
/// - `list`, `items/…`, `upload`, `folder`, `taken`, `move`, `delete`, `archive`, `items/…/share`: on one's own files;
///   with `owner` on those that this person shares, as far as the permission goes.
/// - `share/leave`: on an item that another person shares with the caller.
/// - `share/invite`, `share/permission`, `share/remove`, `share/access`: on an own item, or one whose share the caller
///   administers.
/// - `share/end`: on an own item.
/// - `deleted`, `room`, `shared`, `restore`, `delete-for-good`, `restore-version`, versions, `publish`, `published`,
///   `unpublish`: on one's own files.
struct FilesHandler: Sendable {
    /// The header in which scripts of the page bring the token that the page was given.
    static let formHeader = "X-Stratus-Form"

    let service: CloudService
    let address: PublicAddress
    let assets: AssetHandler
    let fairShare: FairShare
    /// The page's scripts and styles.
    let scripts: ConsoleFiles
    private var sessions: BrowserSessions { BrowserSessions(service: service, address: address) }

    /// Whether a request brings the bytes of a file.
    static func isUpload(_ segments: [String], _ method: String) -> Bool {
        method == "PUT" && segments.first == "api" && segments.count == 4 && segments[3] == "upload"
    }

    /// - Parameter segments: What stands in the path behind `/files`.
    func respond(
        to request: HTTPRequest, _ segments: [String], requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        guard segments.first != "api" else {
            return await respondToScript(request, Array(segments.dropFirst()), requestUUID)
        }
        do throws(CloudError) {
            return request.head.method == "POST"
                ? try await signIn(request) : (try await page(request.head), [])
        } catch {
            return Self.refused(Page.failure(title: "Something went wrong", explanation: error.sentence), error)
        }
    }

    // MARK: - The page

    private func page(_ head: HTTPRequestHead) async throws(CloudError) -> HTTPResponse {
        guard let holder = try await sessions.holder(head) else {
            return PageResponse.make(status: 200, FilesPage.signIn(action: head.path))
        }
        guard let version = scripts.loaded()?.version else { return ConsolePageHandler.unavailable }
        let html = FilesPage.shell(
            version: version, contexts: try await service.fileContexts(of: holder), email: holder.email,
            formToken: holder.formToken)
        return HTTPResponse(
            status: 200,
            headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")]
                + ConsolePolicy.headers, body: .bytes(Array(html.utf8)))
    }

    private func signIn(_ request: HTTPRequest) async throws(CloudError) -> (HTTPResponse, [CloudError]) {
        let head = request.head
        guard address.isOwnPage(head) else {
            throw CloudError(.accessDenied, "the form is no longer valid; open the page again")
        }
        guard let fields = FormFields(request.body.bytes), fields["action"] == "sign-in" else {
            throw ShareForm.incomplete
        }
        do throws(CloudError) {
            let cookie = try await sessions.enter(fields, head)
            var response = PageResponse.redirect(to: head.path)
            response.headers.append(cookie)
            return (response, [])
        } catch {
            let notice = Notice(text: error.sentence, isProblem: true)
            return Self.refused(
                FilesPage.signIn(action: head.path, email: fields["email"] ?? "", notice: notice), error)
        }
    }

    private static func refused(_ html: String, _ error: CloudError) -> (HTTPResponse, [CloudError]) {
        var response = PageResponse.make(status: error.code.httpStatus, html)
        if let seconds = error.retryAfter { response.headers.append(("Retry-After", String(seconds))) }
        return (response, [error])
    }

    // MARK: - What scripts ask

    private func respondToScript(
        _ request: HTTPRequest, _ segments: [String], _ requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        do {
            switch try await answer(request, segments) {
            case .response(let response): return (response, [])
            case .json(let answer):
                return (answer.response(to: request.head, requestUUID: requestUUID), answer.refusals)
            }
        } catch {
            let error = error as? CloudError ?? CloudError(.internalError, "internal error")
            var answer = ConsoleAnswer(refusing: error)
            // As over WebDAV: the account is full, which another request does not change.
            if error.code == .quotaExceeded { answer.status = 507 }
            return (answer.response(to: request.head, requestUUID: requestUUID), [error])
        }
    }

    private func answer(_ request: HTTPRequest, _ segments: [String]) async throws -> FilesAnswer {
        let head = request.head
        guard segments.count >= 3, let container = ContainerIdentifier(segments[0]),
            let environment = CloudEnvironment(rawValue: segments[1])
        else { throw FilesCall.unknown }
        // Also a link of another site must not make the server work.
        guard head.headers["Sec-Fetch-Site"] == "none" || address.isOwnPage(head) else {
            throw CloudError(.accessDenied, "the request was not sent by a page of this server")
        }
        guard let holder = try await sessions.holder(head) else {
            throw CloudError(.authenticationRequired, "you are signed out; sign in again")
        }
        let act = Array(segments.dropFirst(2))
        let isForm = head.method == "POST" && act == ["archive"]
        let fields = isForm ? FormFields(request.body.bytes) : nil
        if head.method == "POST" || head.method == "PUT" {
            let token = isForm ? fields?["form"] : head.headers[Self.formHeader]
            guard address.isOwnPage(head), holder.accepts(formToken: token ?? "") else {
                throw CloudError(.accessDenied, "the page is no longer valid; reload it")
            }
        }
        let caller = try await service.fileCaller(
            for: holder, in: CloudContext(container: container, environment: environment))
        try service.admit(RequestCost(bytes: request.body.bytes.count), of: caller)
        let share = await fairShare.take(1, for: caller.userRecordName ?? "")
        defer { fairShare.giveBack(share) }
        let call = FilesCall(
            request: request, service: service, address: address, caller: caller, assets: assets)
        if head.method == "GET" || head.method == "HEAD" { return try await call.read(act) }
        service.charge(RequestCost(operations: 1), to: caller)
        if head.method == "PUT" {
            guard act == ["upload"] else { throw FilesCall.unknown }
            return .json(try await call.upload())
        }
        if let fields { return .response(try await call.download(fields)) }
        return .json(try await call.change(act))
    }
}
