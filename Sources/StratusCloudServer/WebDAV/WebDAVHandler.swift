import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWebDAV
import StratusWorkers

/// Answers WebDAV (RFC 4918, classes 1 and 2) below `/dav/<container>/`: the files of the person whose app password
/// comes with the request, in the environment of that password.
struct WebDAVHandler: Sendable {
    private let service: CloudService
    private let address: PublicAddress
    private let signIn: BasicSignIn
    private let assets: AssetHandler
    private let fairShare: FairShare
    private let locks = Lock(LockRegistry())

    private static let methods =
        "OPTIONS, GET, HEAD, PUT, DELETE, PROPFIND, PROPPATCH, MKCOL, COPY, MOVE, LOCK, UNLOCK"

    init(service: CloudService, address: PublicAddress, assets: AssetHandler, fairShare: FairShare) {
        self.service = service
        self.address = address
        self.assets = assets
        self.fairShare = fairShare
        signIn = BasicSignIn(service: service, address: address)
    }

    /// How the body of a request is received.
    static func bodyPolicy(for head: HTTPRequestHead, _ limits: AssetLimits) -> BodyPolicy {
        guard head.method == "PUT" else { return .buffered(limit: WebDAVLimits.bodySize) }
        return .streamed(limit: limits.assetSize, pieceSize: ServerLimits.assetPieceSize)
    }

    /// Whether a request takes some reads by key and the opening of a file, which the kernel sends.
    static func isQuick(_ head: HTTPRequestHead) -> Bool { head.method == "GET" || head.method == "HEAD" }

    /// - Parameter segments: What stands in the path behind `/dav`.
    func respond(to request: HTTPRequest, _ segments: [String]) async -> (HTTPResponse, [CloudError]) {
        // Programs ask this before they sign in.
        if request.head.method == "OPTIONS" { return (options(), []) }
        do {
            return (try await answer(request, segments), [])
        } catch let error as WebDAVError {
            let code: CloudError.Code = error.status == 404 ? .notFound : .badRequest
            return (refusal(error), [CloudError(code, error.reason)])
        } catch {
            let error = error as? CloudError ?? CloudError(.internalError, "internal error")
            return (refusal(error), [error])
        }
    }

    private func options() -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [("DAV", "1, 2"), ("Allow", Self.methods), ("MS-Author-Via", "DAV")])
    }

    private func answer(_ request: HTTPRequest, _ segments: [String]) async throws -> HTTPResponse {
        let head = request.head
        let holder = try await signIn.holder(of: head)
        guard let first = segments.first, let container = ContainerIdentifier(first) else {
            throw WebDAVError(404, "the path names no container: /dav/<container>/")
        }
        let caller = try await service.caller(for: holder, in: container)
        try service.admit(RequestCost(bytes: request.body.bytes.count), of: caller)
        let share = await fairShare.take(1, for: caller.userRecordName ?? "")
        defer { fairShare.giveBack(share) }
        let ifHeader = head.headers.all("If")
        guard ifHeader.count <= 1 else { throw WebDAVError(400, "there is more than one header If") }
        let call = WebDAVCall(
            request: request, service: service, caller: caller,
            path: try WebDAVPath(container: container, names: Array(segments.dropFirst())),
            ifHeader: try ifHeader.first.map { value throws(WebDAVError) in try IfHeader(value) },
            base: address.base(for: head), locks: locks, assets: assets)
        if head.method != "LOCK" || !request.body.bytes.isEmpty { try await call.checkIfHeader() }
        return try await perform(call)
    }

    private func perform(_ call: WebDAVCall) async throws -> HTTPResponse {
        switch call.head.method {
        case "GET", "HEAD": return try await call.getContent()
        case "PROPFIND": return try await call.findProperties()
        default: break
        }
        service.charge(RequestCost(operations: 1), to: call.caller)
        switch call.head.method {
        case "PUT": return try await call.putContent()
        case "DELETE": return try await call.delete()
        case "PROPPATCH": return try await call.changeProperties()
        case "MKCOL": return try await call.makeFolder()
        case "COPY": return try await call.copy()
        case "MOVE": return try await call.move()
        case "LOCK": return try await call.lock()
        case "UNLOCK": return try call.unlock()
        default: throw WebDAVError(405, "the method is none of WebDAV's")
        }
    }

    // MARK: - Refusals

    private func refusal(_ error: WebDAVError) -> HTTPResponse {
        var headers = [("Content-Type", MultiStatus.contentType), ("Cache-Control", "no-store")]
        if error.status == 405 { headers.append(("Allow", Self.methods)) }
        return HTTPResponse(
            status: error.status, headers: headers, body: .bytes(Array(MultiStatus.errorBody(error).utf8)))
    }

    private func refusal(_ error: CloudError) -> HTTPResponse {
        var response = refusal(
            WebDAVError(
                Self.status(of: error), error.reason,
                condition: error.code == .quotaExceeded ? "quota-not-exceeded" : nil))
        if error.code == .authenticationFailed { response.headers.append(BasicSignIn.challenge) }
        if error.code.passes {
            response.headers.append(("Retry-After", String(error.retryAfter ?? ServerLimits.retryAfter)))
        }
        return response
    }

    private static func status(of error: CloudError) -> Int {
        switch error.code {
        case .quotaExceeded: 507
        // The item, or a folder around it, changed meanwhile.
        case .conflict, .exists, .uniqueFieldError: 412
        case .atomicError, .validatingReferenceError: 409
        default: error.code.httpStatus
        }
    }
}
