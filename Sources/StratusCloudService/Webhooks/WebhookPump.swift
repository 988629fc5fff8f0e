import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// Sends one webhook's events, message after message, until none waits.
struct WebhookPump: Sendable {
    let service: CloudService
    let name: WebhookName

    private var partition: Partition { .publicDatabase(of: name.context) }

    func run() async {
        repeat {
            do {
                try await drain()
            } catch {
                service.environment.report(error)
            }
        } while !service.webhooks.mayEnd(name)
    }

    private func drain() async throws(CloudError) {
        var attempt: UInt64 = 0
        while !Task.isCancelled {
            service.webhooks.looks(name)
            guard let channel = service.webhooks.channel, let (webhook, events) = try await next() else { return }
            attempt += 1
            let start = service.environment.now()
            let outcome = await channel.deliver(
                WebhookMessage(
                    id: messageID(events), url: webhook.url, secret: service.secret(of: webhook),
                    context: name.context, events: events, time: start,
                    trace: events.lazy.compactMap(\.trace).first?.step(service.environment.random.integer())))
            if Task.isCancelled { return }
            var pause: Int64?
            if case .retry(let asked) = outcome.verdict {
                let pauses = service.webhooks.pauses
                let usual = pauses.isEmpty ? 0 : pauses[min(Int(attempt) - 1, pauses.count - 1)]
                pause = min(max(asked ?? 0, usual), WebhookLimits.longestPause)
            }
            try await note(outcome, of: webhook, events, attempt: attempt, since: start, pause: pause)
            switch outcome.verdict {
            case .delivered: attempt = 0
            case .gone: return
            case .retry:
                // If the server stops, or the webhook is gone, the loop ends; what waits is in the store.
                if await service.webhooks.rest(name, milliseconds: pause ?? 0) { attempt = 0 }
            }
        }
    }

    /// The webhook with the events of the next message; nil if there is nothing to tell.
    private func next() async throws(CloudError) -> (Webhook, [WebhookEvent])? {
        let id = name.id
        let oldest = service.environment.now() - WebhookLimits.lifetime
        let found = try await service.reading(partition) { transaction -> (Webhook, [WebhookEvent])? in
            guard let webhook: Webhook = try transaction.value(at: WebhookKey.webhook(id)), webhook.isEnabled else {
                return nil
            }
            let events = try transaction.entries(
                in: WebhookKey.queue(of: id), limit: WebhookLimits.eventsPerMessage
            ).map { try WebhookEvent(stored: $0.value) }
            return events.isEmpty ? nil : (webhook, events)
        }
        guard let (webhook, events) = found else { return nil }
        let expired = events.prefix { $0.time < oldest }
        guard !expired.isEmpty else { return (webhook, events) }
        try await service.writing(partition) { try Self.settle(Array(expired), of: id, in: $0) }
        return try await next()
    }

    /// The same for the same events, so that a receiver knows a message again.
    private func messageID(_ events: [WebhookEvent]) -> String {
        "msg_\(name.id)_\(events.first?.number ?? 0)_\(events.last?.number ?? 0)"
    }

    /// Remembers an attempt, and takes what was delivered from the queue, in one transaction.
    private func note(
        _ outcome: WebhookOutcome, of told: Webhook, _ events: [WebhookEvent], attempt: UInt64, since start: Int64,
        pause: Int64?
    ) async throws(CloudError) {
        let now = service.environment.now()
        let id = name.id
        let enabled = try await service.writing(partition) { transaction -> EnabledWebhooks? in
            guard var webhook: Webhook = try transaction.value(at: WebhookKey.webhook(id)) else { return nil }
            if outcome.verdict == .delivered { try Self.settle(events, of: id, in: transaction) }
            var count = try WebhookCount.read(of: id, in: transaction)
            count.attempts += 1
            transaction.set(WebhookKey.count(id), count)
            transaction.set(
                WebhookKey.delivery(count.attempts, of: id),
                WebhookDelivery(
                    number: count.attempts, time: start, firstEvent: events.first?.number ?? 0,
                    events: UInt64(events.count), attempt: attempt, status: outcome.status, duration: now - start,
                    error: outcome.error.map { String($0.prefix(WebhookLimits.errorLength)) },
                    next: pause.map { now + $0 }))
            if count.attempts > UInt64(WebhookLimits.deliveries) {
                transaction.clear(WebhookKey.delivery(count.attempts - UInt64(WebhookLimits.deliveries), of: id))
            }
            // What is gone is the address that was told, not one that was put in its place meanwhile.
            guard outcome.verdict == .gone, webhook.url == told.url else { return nil }
            webhook.isEnabled = false
            transaction.set(WebhookKey.webhook(id), webhook)
            return try service.watchWebhooks(in: transaction)
        }
        if let enabled { service.webhooks.set(enabled, of: name.context, for: service) }
    }

    /// Takes events from the queue.
    private static func settle(
        _ events: [WebhookEvent], of id: String, in transaction: any WriteTransaction
    ) throws {
        var count = try WebhookCount.read(of: id, in: transaction)
        for event in events { transaction.clear(WebhookKey.event(event.number, of: id)) }
        count.waiting -= min(count.waiting, UInt64(events.count))
        transaction.set(WebhookKey.count(id), count)
    }
}
