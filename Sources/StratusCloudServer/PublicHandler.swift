import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// Answers the public listener: finds the route, lets it answer, counts and logs.
final class PublicHandler: HTTPHandler {
    private let webServices: WebServices
    private let signIn: SignInHandler
    private let devices: DeviceSignInHandler
    private let addressRate: AddressRate
    private let account: AccountHandler
    private let signUp: SignUpHandler
    private let password: PasswordHandler
    private let shares: ShareHandler
    private let shareList: ShareListHandler
    private let assets: AssetHandler
    private let published: PublishedFileHandler
    private let backups: BackupHandler
    private let webDAV: WebDAVHandler
    private let files: FilesHandler
    private let push: PushHandler
    private let console: ConsoleHandler
    private let operations: OperationsHandler
    private let consolePages: ConsolePageHandler
    private let adminToken: AdminToken?
    private let metricsPage: MetricsPage
    private let identifiers = RequestIdentifiers()
    private let address: PublicAddress
    private let log: AccessLog
    private let metrics: RequestMetrics
    private let bodyLimit: Int
    private let service: CloudService
    private let meter: ContextMeter

    init(
        configuration: CloudServerConfiguration, service: CloudService, readiness: Readiness, logger: Logger,
        registry: MetricsRegistry, metricsPage: MetricsPage, meter: ContextMeter,
        streams: StreamCount, pool: WorkerPool, fairShare: FairShare
    ) {
        self.service = service
        self.meter = meter
        let address = PublicAddress(
            configured: configuration.publicURL, trustedProxies: configuration.trustedProxies)
        webServices = WebServices(
            service: service, address: address, bodyLimit: configuration.bodyLimit, pool: pool,
            fairShare: fairShare)
        signIn = SignInHandler(service: service, address: address)
        addressRate = AddressRate(service: service, address: address)
        devices = DeviceSignInHandler(service: service, address: address)
        account = AccountHandler(service: service, address: address)
        signUp = SignUpHandler(service: service, address: address)
        password = PasswordHandler(service: service, address: address)
        shares = ShareHandler(service: service, address: address)
        shareList = ShareListHandler(service: service, address: address)
        assets = AssetHandler(service: service, pool: WorkerPool(threads: ServerLimits.assetThreads))
        published = PublishedFileHandler(service: service, assets: assets)
        backups = BackupHandler(
            service: service, signIn: BasicSignIn(service: service, address: address), assets: assets)
        webDAV = WebDAVHandler(service: service, address: address, assets: assets, fairShare: fairShare)
        let scripts = ConsoleFiles(directory: configuration.consoleFiles)
        files = FilesHandler(
            service: service, address: address, assets: assets, fairShare: fairShare, scripts: scripts)
        push = PushHandler(service: service, webPushKey: configuration.webPushKey)
        console = ConsoleHandler(
            service: service,
            // Its pages reach this server by whatever name they were opened at, so addresses of assets name none.
            webServices: WebServices(
                service: service, address: PublicAddress(configured: "", trustedProxies: configuration.trustedProxies),
                bodyLimit: configuration.bodyLimit, pool: pool, fairShare: fairShare), address: address,
            meter: meter, streams: streams)
        operations = OperationsHandler(readiness: readiness)
        consolePages = ConsolePageHandler(files: scripts)
        adminToken = configuration.adminToken.map { AdminToken($0) }
        self.metricsPage = metricsPage
        self.address = address
        log = AccessLog(
            logger: logger, level: configuration.logsRequests ? .info : .debug, address: address,
            strangers: StrangerLines(registry: registry))
        metrics = RequestMetrics(registry: registry, listener: "public")
        bodyLimit = configuration.bodyLimit
    }

    func bodyPolicy(for head: HTTPRequestHead) -> BodyPolicy {
        let meaning = TargetMeaning.of(head)
        if case .backup(let target) = meaning.route(of: head.method),
            let limit = target.uploadLimit(of: head.method)
        {
            return .streamed(limit: limit, pieceSize: ServerLimits.assetPieceSize)
        }
        if case .files(let segments) = meaning.route(of: head.method), FilesHandler.isUpload(segments, head.method) {
            return .streamed(limit: service.assetLimits.assetSize, pieceSize: ServerLimits.assetPieceSize)
        }
        switch meaning.area {
        case .assetUpload(let ticket) where head.method == "POST" || head.method == "PUT":
            return uploadPolicy(for: head, ticket: ticket)
        // What is not about a container is a small form.
        case .console(let isAboutContainer) where head.method != "GET":
            return .buffered(limit: isAboutContainer ? bodyLimit : ServerLimits.formSize)
        case .webServices where head.method == "POST":
            guard ContentCoding(head.headers) != nil else { return refuse(head, .unsupportedCoding("gzip")) }
            return .buffered(limit: bodyLimit)
        case .webDAV: return WebDAVHandler.bodyPolicy(for: head, service.assetLimits)
        case _ where head.method == "POST": return .buffered(limit: ServerLimits.formSize)
        default: return .buffered(limit: ServerLimits.ignoredBodySize)
        }
    }

    /// An upload that will be refused is refused before its bytes are sent.
    private func uploadPolicy(for head: HTTPRequestHead, ticket: String) -> BodyPolicy {
        // An asset's bytes are stored as they are, and whoever fetches them is told of no encoding.
        guard ContentCoding(head.headers) == .identity else { return refuse(head, .unsupportedCoding("identity")) }
        let start = ContinuousClock.now
        do {
            return .streamed(
                limit: try assets.bodyLimit(for: head, ticket: ticket), pieceSize: ServerLimits.assetPieceSize)
        } catch {
            let requestUUID = identifiers.make()
            let answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
            record(
                head, .assetUpload, status: answer.status, bodyBytes: Int64(answer.body.count), [error], requestUUID,
                RequestSpan(head.headers), since: start)
            return .refused(answer.response(to: head, requestUUID: requestUUID))
        }
    }

    /// Refuses a body before it is sent.
    private func refuse(_ head: HTTPRequestHead, _ refusal: RouteRefusal) -> BodyPolicy {
        let requestUUID = identifiers.make()
        let answer = WebServiceAnswer(refusal, requestUUID: requestUUID)
        record(
            head, TargetMeaning.of(head).route(of: head.method).name, status: answer.status,
            bodyBytes: Int64(answer.body.count), answer.refusals, requestUUID, RequestSpan(head.headers),
            since: ContinuousClock.now)
        return .refused(answer.response(to: head, requestUUID: requestUUID))
    }

    func client(of head: HTTPRequestHead) -> String { address.network(of: head) }

    /// A large body is received from a sender whose token, key or session is known.
    func refusalOfBody(of head: HTTPRequestHead) async -> HTTPResponse? {
        let start = ContinuousClock.now
        let requestUUID = identifiers.make()
        let route = TargetMeaning.of(head).route(of: head.method)
        let response: HTTPResponse
        let refusals: [CloudError]
        switch route {
        case .webService(let call):
            guard let answer = await webServices.refusalOfBody(of: head, call, requestUUID: requestUUID) else {
                return nil
            }
            (response, refusals) = (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
        case .refused(let refusal):
            let answer = WebServiceAnswer(refusal, requestUUID: requestUUID)
            (response, refusals) = (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
        case .console:
            guard let refusal = await console.refusalOfBody(of: head, requestUUID: requestUUID) else { return nil }
            (response, refusals) = refusal
        default: return nil
        }
        record(
            head, route.name, status: response.status, bodyBytes: 0, refusals, requestUUID, RequestSpan(head.headers),
            since: start)
        return response
    }

    /// Says what was not logged. To be called when no request comes any more.
    func finish() { log.finish() }

    func isQuick(_ head: HTTPRequestHead, isAlone: Bool) -> Bool {
        let meaning = TargetMeaning.of(head)
        if case .webDAV = meaning.area { return WebDAVHandler.isQuick(head) }
        return head.hasBody(upTo: meaning.largestQuickBody)
            || isAlone && head.hasBody(upTo: meaning.largestBodyQuickAlone)
    }

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = ContinuousClock.now
        let requestUUID = identifiers.make()
        let head = request.head
        let route = TargetMeaning.of(head).route(of: head.method)
        let span = RequestSpan(head.headers)
        var (response, refusals) =
            if let span {
                await RequestTrace.$context.withValue(span.context) {
                    await answer(request, route, requestUUID: requestUUID)
                }
            } else {
                await answer(request, route, requestUUID: requestUUID)
            }
        let bodyBytes: Int64
        switch response.body {
        case .later, .stream:
            // How it ends is not known before.
            let inner = response.whenOver
            response.whenOver = { [self, refusals] end in
                inner?(end)
                record(
                    head, route.name, status: end.status ?? ServerLimits.clientGone, bodyBytes: end.bodyBytes,
                    refusals, requestUUID, span, since: start)
            }
            return response
        case .empty: bodyBytes = 0
        case .bytes(let bytes): bodyBytes = Int64(bytes.count)
        case .file(_, _, let length): bodyBytes = length
        }
        record(
            head, route.name, status: response.status, bodyBytes: bodyBytes, refusals, requestUUID, span, since: start)
        return response
    }

    private func record(
        _ head: HTTPRequestHead, _ route: RouteName, status: Int, bodyBytes: Int64, _ refusals: [CloudError],
        _ requestUUID: String, _ span: RequestSpan?, since start: ContinuousClock.Instant
    ) {
        let duration = ContinuousClock.now - start
        metrics.record(route, status: status, duration: duration)
        log.record(
            head, route, status: status, bodyBytes: bodyBytes, refusals: refusals, requestUUID: requestUUID,
            trace: span, duration: duration)
    }

    func refusal(status: Int) -> HTTPRefusal? {
        let requestUUID = identifiers.make()
        let error =
            status == 413
            ? ServerLimits.bodyTooLarge(limit: bodyLimit)
            : CloudError(
                status == 503 ? .tryAgainLater : .badRequest,
                ServerLimits.transportReason(status, bodyLimit: bodyLimit))
        log.recordRefusal(status: status, error, requestUUID: requestUUID)
        let answer = WebServiceAnswer(refusing: error, status: status, requestUUID: requestUUID)
        return HTTPRefusal(contentType: "application/json; charset=UTF-8", body: answer.body)
    }

    private func answer(
        _ request: HTTPRequest, _ route: Route, requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        let head = request.head
        let answer: WebServiceAnswer
        switch route {
        case .console:
            if let error = await addressRate.refusal(of: head) {
                let answer = ConsoleAnswer(refusing: error).response(to: head, requestUUID: requestUUID)
                return (answer, [error])
            }
        case .signIn, .account, .signUp, .password, .shares, .share, .published, .files:
            if let error = await addressRate.refusal(of: head) { return (AddressRate.page(error), [error]) }
        case .deviceSession, .signOut:
            if let error = await addressRate.refusal(of: head) {
                let answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
                return (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
            }
        default: break
        }
        switch route {
        case .webService(let call):
            let start = ContinuousClock.now
            answer = await webServices.respond(to: request, call, requestUUID: requestUUID)
            meter.record(
                ConsoleLogLine(
                    time: service.now, call, status: answer.status,
                    microseconds: (ContinuousClock.now - start).microseconds, bytes: Int64(answer.body.count),
                    uuid: requestUUID, refusals: answer.refusals), user: answer.userRecordName, of: call)
        case .refused(let refusal):
            answer = WebServiceAnswer(refusal, requestUUID: requestUUID)
        case .metrics:
            if let adminToken, adminToken.isIn(head) { return (metricsPage.response(), []) }
            answer = WebServiceAnswer(.notFound, requestUUID: requestUUID)
        case .assetUpload, .assetDownload:
            return await RequestTrace.$uuid.withValue(requestUUID) { await answerAsset(request, route, requestUUID) }
        case .published(let token, let name):
            return await RequestTrace.$uuid.withValue(requestUUID) {
                await published.respond(to: head, token: token, name: name)
            }
        case .backup(let target): return await backups.respond(to: request, target, requestUUID: requestUUID)
        case .webDAV(let segments):
            return await RequestTrace.$uuid.withValue(requestUUID) { await webDAV.respond(to: request, segments) }
        case .files(let segments):
            return await RequestTrace.$uuid.withValue(requestUUID) {
                await files.respond(to: request, segments, requestUUID: requestUUID)
            }
        case .preflight: return (CrossOrigin.preflight(head), [])
        case .signIn: return (await signIn.respond(to: request), [])
        case .deviceSession: answer = await devices.signIn(request, requestUUID: requestUUID)
        case .signOut: answer = await devices.signOut(request, requestUUID: requestUUID)
        case .account: return await account.respond(to: request)
        case .console(let segments): return await console.respond(to: request, segments, requestUUID: requestUUID)
        case .signUp: return await signUp.respond(to: request)
        case .password: return await password.respond(to: request)
        case .shares: return await shareList.respond(to: request)
        case .share(let shortGUID): return await shares.respond(to: request, shortGUID: shortGUID)
        case .poll: return await push.poll(request, requestUUID: requestUUID)
        case .eventStream: return await push.stream(request, requestUUID: requestUUID)
        case .webPushKey:
            if let answer = push.key() { return (answer, []) }
            answer = WebServiceAnswer(.notFound, requestUUID: requestUUID)
        case .liveness: return (operations.liveness(), [])
        case .readiness: return (await operations.readinessAnswer(), [])
        case .consolePage(let segments): return (consolePages.respond(to: head, segments: segments), [])
        case .home: return (PageResponse.make(status: 200, SignInPages.home), [])
        }
        return (answer.response(to: head, requestUUID: requestUUID), answer.refusals)
    }

    private func answerAsset(
        _ request: HTTPRequest, _ route: Route, _ requestUUID: String
    ) async -> (HTTPResponse, [CloudError]) {
        do throws(CloudError) {
            switch route {
            case .assetUpload(let ticket):
                return (try await assets.respondToUpload(request, ticket: ticket, requestUUID: requestUUID), [])
            case .assetDownload(let ticket, let name):
                return (try await assets.respondToDownload(request.head, ticket: ticket, name: name), [])
            default: throw CloudError(.notFound, RouteRefusal.notFound.reason)
            }
        } catch {
            let answer = WebServiceAnswer(refusing: error, requestUUID: requestUUID)
            return (answer.response(to: request.head, requestUUID: requestUUID), [error])
        }
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
