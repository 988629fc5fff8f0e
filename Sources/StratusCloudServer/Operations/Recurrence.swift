import StratusWorkers

/// Work that a running server does again and again by itself, with pauses between.
final class Recurrence: Sendable {
    private let clock: any Clock<Duration>
    private let firstPause: Duration
    private let pause: Duration
    private let work: @Sendable () async -> Void
    private let task = Lock<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - clock: measures the pauses.
    ///   - firstPause: from the start until the work is done for the first time.
    ///   - pause: from the end of the work until it is done again.
    ///   - work: should end early where its task is cancelled.
    init(
        _ clock: any Clock<Duration>, after firstPause: Duration, every pause: Duration,
        work: @escaping @Sendable () async -> Void
    ) {
        self.clock = clock
        self.firstPause = firstPause
        self.pause = pause
        self.work = work
    }

    func start() {
        let (clock, firstPause, pause, work) = (clock, firstPause, pause, work)
        let running = Task.detached(priority: .background) {
            var next = firstPause
            // A sleep is only ever cut short by the end.
            while (try? await clock.sleep(for: next)) != nil {
                await work()
                next = pause
            }
        }
        task.withLock { $0 = running }
    }

    /// Ends it after what is being done; the store must stay open until then.
    func stop() async {
        let running = task.withLock { task in
            defer { task = nil }
            return task
        }
        running?.cancel()
        await running?.value
    }
}
