import StratusCloudService
import StratusCloudStore
import StratusHTTPTransport
import StratusTelemetry
import StratusWorkers

/// The metrics page, and where its figures come from.
final class MetricsPage: Sendable {
    private typealias Listener = (name: String, statistics: @Sendable () -> HTTPServerStatistics?)

    private let registry: MetricsRegistry
    private let sampler: FigureSampler
    private let listeners = Lock<[Listener]>([])

    init(
        registry: MetricsRegistry, store: any CloudStore, service: CloudService, bodyLimit: Int, fairShare: FairShare
    ) {
        self.registry = registry
        sampler = FigureSampler(
            registry: registry, store: store, service: service, bodyLimit: bodyLimit, fairShare: fairShare)
    }

    /// Shows a listener's figures as long as it is there. Not kept, since the page is part of its handler.
    func add(_ server: HTTPServer, name: String) {
        listeners.withLock { $0.append((name, { [weak server] in server?.statistics() })) }
    }

    /// The page. Blocks on the file system.
    func response() -> HTTPResponse {
        let current = listeners.withLock { $0 }
        sampler.sample(
            listeners: current.compactMap { listener in listener.statistics().map { (listener.name, $0) } })
        return OperationsHandler.text(200, registry.exposition(), contentType: MetricsRegistry.contentType)
    }
}
