import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore

/// What to change of a webhook: nil leaves a value as it is.
public struct WebhookChange: Hashable, Sendable {
    /// Where messages go.
    public var url: String?
    /// The record types whose changes are told.
    public var types: [String]?
    /// What is told of them.
    public var events: Set<QuerySubscription.Event>?
    /// Whether messages are sent.
    public var isEnabled: Bool?

    /// A change.
    public init(
        url: String? = nil, types: [String]? = nil, events: Set<QuerySubscription.Event>? = nil,
        isEnabled: Bool? = nil
    ) {
        self.url = url
        self.types = types
        self.events = events
        self.isEnabled = isEnabled
    }
}

extension CloudService {
    /// Tells an address of changes in a context's public database from now on.
    /// - Returns: the webhook's identifier, and the secret of its signatures, which is told this once and lies nowhere.
    /// - Throws: `badRequest` for an address to which nothing is sent, for types or events that are none, and for more
    ///   webhooks than ``WebhookLimits/perContext``; `notFound` if there is no such container.
    public func createWebhook(
        url: String, types: [String], events: Set<QuerySubscription.Event>, in context: CloudContext
    ) async throws(CloudError) -> (id: String, secret: String) {
        try await checkContainer(context)
        let webhook = Webhook(
            id: Hex.encode(environment.random.bytes(16)), url: url, types: types, events: events, isEnabled: true,
            created: environment.now(), salt: environment.random.bytes(16))
        try check(webhook)
        try await changingWebhooks(of: context) { transaction in
            guard try transaction.entries(in: WebhookKey.webhooks, limit: .max).count < WebhookLimits.perContext else {
                throw CloudError(.badRequest, "an environment has at most \(WebhookLimits.perContext) webhooks")
            }
            transaction.set(WebhookKey.webhook(webhook.id), webhook)
        }
        return (webhook.id, secret(of: webhook))
    }

    /// Changes a webhook. What waits for it is sent at once.
    /// - Throws: as ``createWebhook(url:types:events:in:)``; `notFound` if there is no such webhook.
    public func updateWebhook(
        _ id: String, _ change: WebhookChange, in context: CloudContext
    ) async throws(CloudError) {
        try await checkContainer(context)
        try await changingWebhooks(of: context) { transaction in
            guard var webhook: Webhook = try transaction.value(at: WebhookKey.webhook(id)) else {
                throw Self.noWebhook
            }
            webhook.url = change.url ?? webhook.url
            webhook.types = change.types ?? webhook.types
            webhook.events = change.events ?? webhook.events
            webhook.isEnabled = change.isEnabled ?? webhook.isEnabled
            try self.check(webhook)
            transaction.set(WebhookKey.webhook(id), webhook)
        }
        webhooks.changed(WebhookName(context: context, id: id))
    }

    /// Removes a webhook, with what waits for it.
    /// - Throws: `notFound` if there is no such webhook.
    public func removeWebhook(_ id: String, in context: CloudContext) async throws(CloudError) {
        try await changingWebhooks(of: context) { transaction in
            guard try transaction.get(WebhookKey.webhook(id)) != nil else { throw Self.noWebhook }
            for key in [WebhookKey.webhook(id), WebhookKey.count(id)] { transaction.clear(key) }
            for range in [WebhookKey.queue(of: id), WebhookKey.deliveries(of: id)] { transaction.clear(range) }
        }
        webhooks.forget(WebhookName(context: context, id: id))
    }

    /// The webhooks of a context, the oldest first.
    /// - Throws: `notFound` if there is no such container.
    public func listWebhooks(of context: CloudContext) async throws(CloudError) -> [WebhookSummary] {
        try await checkContainer(context)
        return try await reading(.publicDatabase(of: context)) { transaction in
            try transaction.allValues(Webhook.self, in: WebhookKey.webhooks).map { webhook in
                let count = try WebhookCount.read(of: webhook.id, in: transaction)
                let last = try transaction.entries(
                    in: WebhookKey.deliveries(of: webhook.id), limit: 1, reverse: true
                ).first
                return WebhookSummary(
                    webhook: webhook, pending: Int(clamping: count.waiting), lost: Int(clamping: count.lost),
                    last: try last.map { try WebhookDelivery(stored: $0.value) })
            }
        }.sorted { ($0.webhook.created, $0.webhook.id) < ($1.webhook.created, $1.webhook.id) }
    }

    /// The latest attempts to tell a webhook something, the latest first; at most ``WebhookLimits/deliveries``.
    /// - Throws: `notFound` if there is no such webhook.
    public func deliveries(
        ofWebhook id: String, in context: CloudContext
    ) async throws(CloudError) -> [WebhookDelivery] {
        guard try await webhook(id, in: context) != nil else { throw Self.noWebhook }
        return try await reading(.publicDatabase(of: context)) {
            try $0.allValues(WebhookDelivery.self, in: WebhookKey.deliveries(of: id)).reversed()
        }
    }

    // MARK: - Helpers

    private static let noWebhook = CloudError(.notFound, "there is no such webhook in this environment")

    func webhook(_ id: String, in context: CloudContext) async throws(CloudError) -> Webhook? {
        try await checkContainer(context)
        return try await reading(.publicDatabase(of: context)) { try $0.value(at: WebhookKey.webhook(id)) }
    }

    /// What signs a webhook's messages: made of the server's key each time, so that it lies nowhere.
    func secret(of webhook: Webhook) -> String {
        "whsec_" + Base64.string(seals.secret(for: .webhook, boundTo: Array(webhook.id.utf8) + webhook.salt))
    }

    private func check(_ webhook: Webhook) throws(CloudError) {
        guard let channel = webhooks.channel else { throw CloudError(.badRequest, "this server sends no webhooks") }
        guard webhook.url.utf8.count <= WebhookLimits.urlLength else {
            throw CloudError(.badRequest, "url has more than \(WebhookLimits.urlLength) bytes")
        }
        if let objection = channel.objection(to: webhook.url) { throw CloudError(.badRequest, "the url \(objection)") }
        guard (1...WebhookLimits.types).contains(webhook.types.count) else {
            throw CloudError(.badRequest, "types must name 1 to \(WebhookLimits.types) record types")
        }
        for type in webhook.types { try Names.checkRecordType(type) }
        guard !webhook.events.isEmpty else {
            throw CloudError(.badRequest, "events must name at least one of create, update and delete")
        }
    }

    /// Changes webhooks, and what every save reads of them.
    func changingWebhooks(
        of context: CloudContext, _ body: @escaping @Sendable (any WriteTransaction) throws -> Void
    ) async throws(CloudError) {
        let enabled = try await writing(.publicDatabase(of: context)) { transaction in
            try body(transaction)
            return try self.watchWebhooks(in: transaction)
        }
        webhooks.set(enabled, of: context, for: self)
    }

    /// Puts what the webhooks watch where every save reads it.
    /// - Returns: those that are told something.
    func watchWebhooks(in transaction: any WriteTransaction) throws -> EnabledWebhooks {
        let enabled = try transaction.allValues(Webhook.self, in: WebhookKey.webhooks).filter(\.isEnabled)
        let table = SubscriptionTable(transaction)
        var summary = try table.summary()
        summary.webhooks = enabled.map(WebhookWatch.init)
        table.store(summary)
        return EnabledWebhooks(ids: Set(enabled.map(\.id)), revision: webhooks.nextRevision())
    }
}
