import StratusCloudModel
import StratusWorkers
import Synchronization

/// What the service keeps running for notifications: the hub, the channels outside, and a task that looks at the time.
final class PushService: Sendable {
    let hub = PushHub()
    let channels = PushDispatch()
    let history = PushHistory()
    private let keeper = Lock<Task<Void, Never>?>(nil)

    /// Starts looking at the time every second, once.
    func startKeeping(for service: CloudService) {
        keeper.withLock { keeper in
            guard keeper == nil else { return }
            keeper = Task { [weak service] in
                var storedAt = SystemClock.uptime()
                while !Task.isCancelled {
                    // Cut short only by the end.
                    try? await Task.sleep(for: .seconds(1))
                    guard let service else { return }
                    let now = SystemClock.uptime()
                    let stores = now - storedAt >= PushLimits.storingPause
                    if stores { storedAt = now }
                    await service.keepPush(storing: stores)
                }
            }
        }
    }

    /// Ends all listeners and channels.
    func close() {
        hub.close()
        channels.close()
        keeper.withLock { $0 }?.cancel()
    }
}

extension CloudService {
    /// Gives notifications of channels, and takes up what they had not delivered when the server last ran.
    public func startPush(_ channels: [any PushChannel]) async throws(CloudError) {
        push.channels.start(channels, for: self)
        try await resumeChannels()
    }

    /// Ends all long polls and streams, so that the connections become free, and stores how far everybody has read.
    /// Nothing is lost: what was not delivered waits in the store.
    public func stopPush() async {
        push.close()
        webhooks.close()
        await keepPush(storing: true)
    }

    /// Figures for the metrics page.
    public func pushStatistics() -> PushStatistics { push.hub.statistics() }

    /// Takes what a durable commit queued to those who wait for it.
    func deliver(_ notifications: [QueuedNotification], in context: CloudContext) {
        webhooks.wake(context)
        guard !notifications.isEmpty else { return }
        let now = environment.now()
        push.history.note(
            notifications.suffix(FigureLimits.pushes).map { queued in
                var event = PushEvent(
                    queued.notification, in: context, channel: "queue", outcome: "queued", at: now)
                event.recordType = queued.recordType
                return event
            }, in: context)
        let users = Set(notifications.map(\.notification.userRecordName))
        let devices = push.channels.devices(of: users, in: context)
        for (owner, device) in devices { push.hub.expect(device, of: owner) }
        push.hub.publish(notifications, in: context)
        push.channels.wake(devices)
    }

    func keepPush(storing: Bool) async {
        for progress in push.hub.tick(storing: storing) {
            do {
                try await store(progress)
            } catch {
                // The device hears some things twice.
                environment.report(error)
            }
        }
    }
}
