import StratusCloudModel
import StratusCloudStore
import StratusWorkers

/// One webhook of all.
struct WebhookName: Hashable, Sendable {
    let context: CloudContext
    let id: String
}

/// The webhooks of a context that are told something, as a transaction found them.
struct EnabledWebhooks: Sendable {
    let ids: Set<String>
    /// Later transactions have greater ones.
    let revision: UInt64
}

/// Sees to it that what waits for webhooks is sent: a task for each that has something, and none for the others.
final class WebhookDesk: Sendable {
    private struct State {
        var channel: (any WebhookChannel)?
        var pauses = WebhookLimits.pauses
        weak var service: CloudService?
        /// Those that are told something, by what they watch.
        var enabled: [CloudContext: Set<String>] = [:]
        /// How late in time that is known.
        var revisions: [CloudContext: UInt64] = [:]
        var latestRevision: UInt64 = 0
        /// Those that a task works for, and whether something came since it last looked.
        var running: [WebhookName: Bool] = [:]
        var tasks: [WebhookName: Task<Void, Never>] = [:]
        /// Of those that wait before they try again: what they wait for.
        var rests: [WebhookName: Task<Void, Never>] = [:]
        /// Those that were changed since their task last looked.
        var changed: Set<WebhookName> = []
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

    /// The number of a transaction that has read which webhooks there are. To be asked for after it read and before it
    /// commits: of two that change something, the one that is not the first reads again what the other one left.
    func nextRevision() -> UInt64 {
        state.withLock { state in
            state.latestRevision += 1
            return state.latestRevision
        }
    }

    /// Says which webhooks of a context are told something, and looks whether something waits for them. What a later
    /// transaction found stays, in whatever order they are heard of.
    func set(_ enabled: EnabledWebhooks, of context: CloudContext, for service: CloudService) {
        state.withLock { state in
            state.service = service
            guard enabled.revision > state.revisions[context, default: 0] else { return }
            state.revisions[context] = enabled.revision
            state.enabled[context] = enabled.ids.isEmpty ? nil : enabled.ids
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

    /// A webhook's task is about to look what there is to do.
    func looks(_ name: WebhookName) { state.withLock { _ = $0.changed.remove(name) } }

    /// A webhook is another one now: what waits for it need wait no longer.
    func changed(_ name: WebhookName) {
        let rest = state.withLock { state -> Task<Void, Never>? in
            guard state.running[name] != nil else { return nil }
            state.changed.insert(name)
            return state.rests[name]
        }
        rest?.cancel()
    }

    /// Waits before a webhook's next attempt, as long as the webhook stays as it is.
    /// - Returns: whether it was changed since its task last looked.
    func rest(_ name: WebhookName, milliseconds: Int64) async -> Bool {
        let rest = Task<Void, Never> {
            // A sleep that is cut short only makes the next attempt earlier.
            _ = try? await Task.sleep(for: .milliseconds(milliseconds))
        }
        let isChanged = state.withLock { state in
            state.rests[name] = rest
            return state.changed.contains(name)
        }
        if isChanged { rest.cancel() }
        await withTaskCancellationHandler {
            await rest.value
        } onCancel: {
            rest.cancel()
        }
        return state.withLock { state in
            state.rests[name] = nil
            return state.changed.contains(name)
        }
    }

    /// Whether a task that has nothing more to do may end; false if something came meanwhile.
    func mayEnd(_ name: WebhookName) -> Bool {
        state.withLock { state in
            if state.running[name] == true, !state.isClosed {
                state.running[name] = false
                return false
            }
            state.running[name] = nil
            state.tasks[name] = nil
            state.changed.remove(name)
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
                let revision = webhooks.nextRevision()
                let enabled = try await reading(.publicDatabase(of: context)) { transaction in
                    try transaction.allValues(Webhook.self, in: WebhookKey.webhooks).filter(\.isEnabled).map(\.id)
                }
                webhooks.set(EnabledWebhooks(ids: Set(enabled), revision: revision), of: context, for: self)
            }
        }
    }
}
