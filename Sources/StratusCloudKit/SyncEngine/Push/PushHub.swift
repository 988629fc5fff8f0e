import StratusCloudModel
import StratusWorkers

/// Listens for a container's notifications while somebody wants them: one connection for all engines.
final class PushHub: Sendable {
    private struct State: Sendable {
        var listeners: [Int: PushSubscription] = [:]
        var number = 0
        var task: Task<Void, Never>?
        /// What those are told who come later.
        var latest: PushReport?
    }

    private let state = Lock(State())
    private let transport: any CloudTransport

    init(transport: any CloudTransport) { self.transport = transport }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Tells of notifications from now on. What is told first is only whether there is a connection, which
    /// ``PushSubscription/begin()`` waits for.
    func subscribe(_ receive: @escaping @Sendable (PushReport) -> Void) -> PushSubscription {
        let (subscription, latest) = state.withLock { state in
            state.number += 1
            let number = state.number
            let subscription = PushSubscription(receive) { [weak self] in self?.remove(number) }
            state.listeners[number] = subscription
            if state.task == nil { state.task = listen() }
            return (subscription, state.latest)
        }
        if let latest { subscription.take(latest) }
        return subscription
    }

    private func remove(_ number: Int) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.listeners[number] = nil
            guard state.listeners.isEmpty else { return nil }
            defer { (state.task, state.latest) = (nil, nil) }
            return state.task
        }
        task?.cancel()
    }

    private func tell(_ report: PushReport) {
        let listeners = state.withLock { state in
            switch report {
            case .notification: break
            case .listening, .interrupted, .unavailable: state.latest = report
            }
            return state.listeners.sorted { $0.key < $1.key }.map(\.value)
        }
        for listener in listeners { listener.take(report) }
    }

    private func listen() -> Task<Void, Never> {
        let transport = transport
        let tell: @Sendable (PushReport) -> Void = { [weak self] in self?.tell($0) }
        return Task.detached {
            let failures = Lock(0)
            while !Task.isCancelled {
                do throws(CloudTransportError) {
                    try await transport.listen { report in
                        failures.withLock { $0 = 0 }
                        tell(report)
                    }
                    if !Task.isCancelled { tell(.unavailable) }
                    return
                } catch {
                    if Task.isCancelled { return }
                    tell(.interrupted)
                    let count = failures.withLock { failures in
                        failures += 1
                        return failures
                    }
                    let wait = SyncSchedule.wait(
                        failures: count, limit: Self.longestWait(after: error), chance: transport.chance())
                    do { try await transport.pause(for: wait) } catch { return }
                }
            }
        }
    }

    /// A network is soon noticed when it is there again; a server that refuses is left in peace.
    private static func longestWait(after error: CloudTransportError) -> Duration {
        switch error {
        case .unreachable, .failed: SyncLimits.longestReconnection
        default: SyncLimits.longestRetry
        }
    }
}
