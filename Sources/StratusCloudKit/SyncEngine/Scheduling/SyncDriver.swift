import StratusWorkers

/// Does what a schedule says when its time has come, one thing at a time. Sleeps until then, and for good while there is
/// nothing to do.
package final class SyncDriver: Sendable {
    private struct State: Sendable {
        var schedule = SyncSchedule()
        var run: (@Sendable (SyncWork) async -> SyncOutcome)?
        var isAllSent: @Sendable () -> Bool = { false }
        var sleeper: (task: Task<Void, Never>, deadline: Duration)?
        var isRunning = false
        /// Counts cancellations.
        var epoch = 0
    }

    private let state = Lock(State())
    private let transport: @Sendable () -> any CloudTransport

    init(transport: @escaping @Sendable () -> any CloudTransport) { self.transport = transport }

    /// Takes its times from the connection of a container.
    package convenience init(_ container: CKContainer) {
        let source = container.source
        self.init(transport: { source.connection.transport })
    }

    /// Begins to do what is due.
    /// - Parameter isAllSent: says whether nothing waits to be sent.
    package func begin(
        isAllSent: @escaping @Sendable () -> Bool, _ run: @escaping @Sendable (SyncWork) async -> SyncOutcome
    ) {
        state.withLock { state in
            state.run = run
            state.isAllSent = isAllSent
        }
        update { _, _ in }
    }

    /// Something happened that changes the schedule.
    package func update(_ change: @Sendable (inout SyncSchedule, Duration) -> Void) {
        let transport = transport()
        let now = transport.uptime
        state.withLock { state in
            change(&state.schedule, now)
            arm(&state, transport)
        }
    }

    /// Forgets what is scheduled, and what comes of what runs.
    func cancel() {
        let sleeper = state.withLock { state in
            defer { state.sleeper = nil }
            state.schedule = SyncSchedule()
            state.epoch += 1
            return state.sleeper
        }
        sleeper?.task.cancel()
    }

    /// Does nothing any more.
    package func stop() {
        state.withLock { $0.run = nil }
        cancel()
    }

    private func arm(_ state: inout State, _ transport: any CloudTransport) {
        guard !state.isRunning, state.run != nil else { return }
        guard let due = state.schedule.due else {
            state.sleeper?.task.cancel()
            state.sleeper = nil
            return
        }
        if let sleeper = state.sleeper, sleeper.deadline == due { return }
        state.sleeper?.task.cancel()
        let epoch = state.epoch
        // Detached: it belongs to no callback that happens to have caused it.
        let task = Task.detached { [weak self] in
            do { try await transport.pause(until: due) } catch { return }
            await self?.wake(due, epoch)
        }
        state.sleeper = (task, due)
    }

    private func wake(_ deadline: Duration, _ epoch: Int) async {
        let transport = transport()
        let now = max(transport.uptime, deadline)
        let next = state.withLock { state -> (SyncWork, @Sendable (SyncWork) async -> SyncOutcome)? in
            guard state.epoch == epoch, state.sleeper?.deadline == deadline, !state.isRunning, let run = state.run
            else { return nil }
            state.sleeper = nil
            guard let work = state.schedule.take(at: now) else { return nil }
            state.isRunning = true
            return (work, run)
        }
        guard let (work, run) = next else { return }
        let outcome = await run(work)
        let end = transport.uptime
        let chance = transport.chance()
        state.withLock { state in
            state.isRunning = false
            // What is added from here on says so when this is done, and so is sent.
            if state.epoch == epoch {
                state.schedule.finish(work, outcome, isAllSent: state.isAllSent(), at: end, chance: chance)
            }
            arm(&state, transport)
        }
    }
}
