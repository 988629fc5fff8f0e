import CloudModel
import CloudStore
import Workers

/// One webhook of all.
struct WebhookName: Hashable, Sendable {
    let context: CloudContext
    let id: String
}

/// Sees to it that what waits for webhooks is sent: a task for each that has something, and none for the others.
final class WebhookDesk: Sendable {
    private struct State {
        var channel: (any WebhookChannel)?
        var pauses = WebhookLimits.pauses
        weak var service: CloudService?
        /// Those that are told something, by what they watch.
        var enabled: [CloudContext: Set<String>] = [:]
        /// Those that a task works for, and whether something came since it last looked.
        var running: [WebhookName: Bool] = [:]
        var tasks: [WebhookName: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Lock(State())

    var channel: (any WebhookChannel)? { state.withLock { $0.channel } }
    var pauses: [Int64] { state.withLock { $0.pauses } }

    func start(_ channel: any WebhookChannel, pauses: [Int64]) {
        state.withLock { state in
            state.channel = channel
            state.pauses = pauses
        }
    }

    /// Says which webhooks of a context are told something, and looks whether something waits for them.
    func set(_ enabled: Set<String>, of context: CloudContext, for service: CloudService) {
        state.withLock { state in
            state.service = service
            state.enabled[context] = enabled.isEmpty ? nil : enabled
        }
        wake(context)
    }

    /// Something was saved in a context.
    func wake(_ context: CloudContext) {
        state.withLock { state in
            guard !state.isClosed, state.channel != nil, let service = state.service,
                let ids = state.enabled[context]
            else { return }
            for id in ids {
                let name = WebhookName(context: context, id: id)
                guard state.running[name] == nil else {
                    state.running[name] = true
                    continue
                }
                state.running[name] = false
                state.tasks[name] = Task { await WebhookPump(service: service, name: name).run() }
            }
        }
    }

    /// Ends the work for a webhook that is gone.
    func forget(_ name: WebhookName) { state.withLock { $0.tasks[name] }?.cancel() }

    /// Whether a task that has nothing more to do may end; false if something came meanwhile.
    func mayEnd(_ name: WebhookName) -> Bool {
        state.withLock { state in
            if state.running[name] == true, !state.isClosed {
                state.running[name] = false
                return false
            }
            state.running[name] = nil
            state.tasks[name] = nil
            return true
        }
    }

    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}

extension CloudService {
    /// Sends messages to webhooks from now on, and first what an earlier server left.
    /// - Parameter pauses: as ``WebhookLimits/pauses``.
    public func startWebhooks(
        _ channel: any WebhookChannel, pauses: [Int64] = WebhookLimits.pauses
    ) async throws(CloudError) {
        webhooks.start(channel, pauses: pauses)
        for container in try await listContainers() {
            for environment in CloudEnvironment.allCases {
                let context = CloudContext(container: container, environment: environment)
                let enabled = try await reading(.publicDatabase(of: context)) { transaction in
                    try transaction.allValues(Webhook.self, in: WebhookKey.webhooks).filter(\.isEnabled).map(\.id)
                }
                webhooks.set(Set(enabled), of: context, for: self)
            }
        }
    }
}
