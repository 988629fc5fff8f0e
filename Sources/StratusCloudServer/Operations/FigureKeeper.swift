import StratusCloudModel
import StratusCloudService
import StratusTelemetry
import StratusWorkers

/// Stores what the meter counted, every minute and when the server stops.
final class FigureKeeper: Sendable {
    /// Measuring the storage takes one part in so many of the time.
    private static let usageShare = 100

    private let meter: ContextMeter
    private let service: CloudService
    private let logger: Logger
    /// When the storage of a context may be measured again.
    private let nextLook = Lock([CloudContext: ContinuousClock.Instant]())

    init(meter: ContextMeter, service: CloudService, logger: Logger) {
        self.meter = meter
        self.service = service
        self.logger = logger
    }

    func keep() async {
        for (context, recorder) in meter.all { await keep(context, recorder) }
    }

    private func keep(_ context: CloudContext, _ recorder: ContextRecorder) async {
        var (sample, users) = recorder.take()
        do {
            if sample.hasRequests, let storage = try await storage(of: context) {
                sample.usage = storage.total
                sample.levels = storage.levels
            }
            guard !sample.isEmpty || !users.isEmpty else { return }
            try await service.remember(sample, users: users, of: context)
        } catch {
            recorder.putBack(sample, users: users)
            logger.warning("statistics could not be stored", ["error": .string("\(error)")])
        }
    }

    /// What the databases hold; nil if it was measured recently, in relation to the time that measuring takes.
    private func storage(
        of context: CloudContext
    ) async throws(CloudError) -> (total: Usage, levels: StorageLevels)? {
        let start = ContinuousClock.now
        guard nextLook.withLock({ $0[context].map { $0 <= start } ?? true }) else { return nil }
        let storage = try await service.storage(of: context)
        let end = ContinuousClock.now
        nextLook.withLock { $0[context] = end + (end - start) * Self.usageShare }
        return storage
    }
}
