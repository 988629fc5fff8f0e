import CloudService
import Telemetry
import Workers

/// Removes the bytes of assets that nothing needs any more, at the start and from time to time.
final class AssetCollection: Sendable {
    private let service: CloudService
    private let logger: Logger
    private let task = Lock<Task<Void, Never>?>(nil)

    init(service: CloudService, logger: Logger) {
        self.service = service
        self.logger = logger
    }

    func start() {
        let (service, logger) = (service, logger)
        let running = Task(priority: .background) {
            while !Task.isCancelled {
                do {
                    let removed = try await service.collectAssets()
                    if removed > 0 { logger.info("removed unused assets", ["files": .integer(Int64(removed))]) }
                } catch {
                    logger.error("unused assets could not be removed", ["error": .string("\(error)")])
                }
                // Cut short when the server stops.
                try? await Task.sleep(for: ServerLimits.assetCollectionInterval)
            }
        }
        task.withLock { $0 = running }
    }

    /// Ends after what is being done; the store must stay open until then.
    func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
    }
}
