import StratusCloudModel
import StratusCloudService
import StratusTelemetry
import StratusWorkers

/// Takes what the meter counted to the disk, every minute and at the end.
final class FigureKeeper: Sendable {
    /// What looking at all databases may take of the time: a hundredth.
    private static let usageShare = 100

    private let meter: ContextMeter
    private let service: CloudService
    private let logger: Logger
    /// When somebody may look at a context's databases again.
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
            logger.warning("figures could not be kept", ["error": .string("\(error)")])
        }
    }

    /// What the databases hold; nil where it was looked at lately, for as long as that takes.
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
