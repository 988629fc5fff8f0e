import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// A cloud on the network: the web services, the sign-in page, health and metrics over a ``CloudService``.
///
/// Signals, configuration files and the making of the parts belong to the tool that runs it.
public final class CloudServer: Sendable {
    private let service: CloudService
    private let channels: [any PushChannel]
    private let mail: MailService?
    private let webhooks: (any WebhookChannel)?
    private let store: any CloudStore
    private let logger: Logger
    private let readiness: Readiness
    private let housekeeping: Housekeeping
    private let figures: FigureKeeper
    let meter = ContextMeter()
    let streams = StreamCount()
    private let publicListener: HTTPServer
    private let publicHandler: PublicHandler
    private let adminListener: HTTPServer?
    private let indexBuilder = Lock<Task<Void, Never>?>(nil)
    private let boundAdminPort = Lock<UInt16?>(nil)

    /// A server that does not listen yet.
    /// - Parameters:
    ///   - service: makes every decision.
    ///   - store: what the service lies in; the server closes it when it stops.
    ///   - logger: gets a line for each failure, and for each request if the configuration says so.
    ///   - metrics: gets the server's figures, beside whatever else is in it.
    ///   - channels: take notifications to devices that do not come for them.
    ///   - mail: takes invitations to people; nil sends none.
    ///   - webhooks: tells addresses of changes; nil tells none.
    ///   - clock: measures the time between what the server does by itself; tests have it in hand.
    public init(
        configuration: CloudServerConfiguration, service: CloudService, store: any CloudStore, logger: Logger,
        metrics: MetricsRegistry, channels: [any PushChannel] = [],
        mail: MailService? = nil, webhooks: (any WebhookChannel)? = nil, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.service = service
        self.channels = channels
        self.mail = mail
        self.webhooks = webhooks
        self.store = store
        self.logger = logger
        figures = FigureKeeper(meter: meter, service: service, logger: logger)
        housekeeping = Housekeeping(service: service, figures: figures, logger: logger, clock: clock)
        let readiness = Readiness(store: store)
        let pool = WorkerPool(
            threads: max(1, configuration.workerThreads), lanes: ServerLimits.workerLanes)
        let fairShare = FairShare(limit: max(1, configuration.clientConcurrency))
        let metricsPage = MetricsPage(
            registry: metrics, store: store, service: service, bodyLimit: configuration.bodyLimit,
            fairShare: fairShare)
        publicHandler = PublicHandler(
            configuration: configuration, service: service, readiness: readiness, logger: logger,
            registry: metrics, metricsPage: metricsPage, meter: meter, streams: streams, pool: pool,
            fairShare: fairShare)
        publicListener = HTTPServer(
            configuration: configuration.listenerWithRoomForBodies, executor: pool, handler: publicHandler)
        adminListener = configuration.adminAddress.map { address in
            HTTPServer(
                configuration: HTTPServerConfiguration(address: address, ioThreads: 1),
                // Threads of its own, so that the operator sees what is wrong when all others are busy.
                executor: WorkerPool(threads: 1),
                handler: AdminHandler(readiness: readiness, registry: metrics, metricsPage: metricsPage))
        }
        self.readiness = readiness
        metricsPage.add(publicListener, name: "public")
        if let adminListener { metricsPage.add(adminListener, name: "admin") }
    }

    /// The port of the admin listener once it is started; nil without one, 0 on a unix socket.
    public var adminPort: UInt16? { boundAdminPort.withLock { $0 } }

    /// Live logs and exports that developers look at now.
    var consoleStreams: Int { streams.now }

    /// Listens, first for the operator, then for clients.
    /// - Returns: the port clients connect to; 0 on a unix socket.
    /// - Throws: `HTTPServerError`; nothing listens then.
    public func start() async throws(HTTPServerError) -> UInt16 {
        if let adminListener {
            let port = try adminListener.start()
            boundAdminPort.withLock { $0 = port }
        }
        do {
            let port = try publicListener.start()
            do {
                try await service.startPush(channels)
            } catch {
                // Long polls and streams work; what waits for a channel goes out with its device's next notification.
                logger.error("cannot resume notifications to push services", ["error": .string("\(error)")])
            }
            if let webhooks {
                do {
                    try await service.startWebhooks(webhooks)
                } catch {
                    logger.error("cannot resume webhooks", ["error": .string("\(error)")])
                }
            }
            if let mail {
                do {
                    try await service.startMail(mail.channel, perUserAndDay: mail.perUserAndDay)
                } catch {
                    logger.error("cannot resume the mailing of invitations", ["error": .string("\(error)")])
                }
            }
            readiness.enter(.serving)
            housekeeping.start()
            let builder = Task.detached(priority: .background) { [service] in await service.keepBuildingIndexes() }
            indexBuilder.withLock { $0 = builder }
            return port
        } catch {
            await adminListener?.stop(drainingFor: .zero)
            throw error
        }
    }

    /// Stops: no longer ready, finishes what is under way for at most `patience`, then closes the store, so that
    /// everything acknowledged is on disk when this returns. The operator's listener answers until the end.
    public func stop(drainingFor patience: Duration = ServerLimits.drainTime) async {
        readiness.enter(.stopping)
        logger.info("stopping")
        await service.stopPush()
        await publicListener.stop(drainingFor: patience)
        publicHandler.finish()
        await housekeeping.stop()
        await figures.keep()
        let builder = indexBuilder.withLock { $0 }
        builder?.cancel()
        await builder?.value
        await store.close()
        await adminListener?.stop(drainingFor: .zero)
        logger.info("stopped")
    }
}
