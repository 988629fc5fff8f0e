import CloudService
import Telemetry
import Workers

/// What a server does by itself now and then: it forgets deletions that change feeds need not tell any more.
final class Housekeeping: Sendable {
    private let service: CloudService
    private let logger: Logger
    private let task = Lock<Task<Void, Never>?>(nil)

    init(service: CloudService, logger: Logger) {
        self.service = service
        self.logger = logger
    }

    /// Begins some time after the start, when clients have reconnected.
    func start() {
        let (service, logger) = (service, logger)
        let task = Task.detached(priority: .background) {
            var pause = ServerLimits.firstHousekeeping
            while (try? await Task.sleep(for: pause)) != nil {
                await Self.run(service, logger)
                pause = ServerLimits.housekeepingInterval
            }
        }
        self.task.withLock { $0 = task }
    }

    /// Ends it, when the transaction under way is done.
    func stop() async {
        let task = task.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    private static func run(_ service: CloudService, _ logger: Logger) async {
        do {
            let purged = try await service.purgeTombstones()
            logger.info("housekeeping", ["purgedTombstones": .integer(Int64(purged))])
        } catch {
            // The next time takes up what was left.
            logger.warning("housekeeping failed", ["error": .string("\(error)")])
        }
    }
}
