import StratusCloudModel
import StratusCloudService
import StratusCloudWire

/// Addresses that are told of changes in a public database.
enum ConsoleWebhooks {
    static let routes = [
        ConsoleRoute("GET", "c/:container/:environment/webhooks", .team(.seeWebhooks), list),
        ConsoleRoute("POST", "c/:container/:environment/webhooks", .team(.changeWebhooks), create),
        ConsoleRoute("PUT", "c/:container/:environment/webhooks/:id", .team(.changeWebhooks), change),
        ConsoleRoute("DELETE", "c/:container/:environment/webhooks/:id", .team(.changeWebhooks), remove),
        ConsoleRoute("GET", "c/:container/:environment/webhooks/:id/deliveries", .team(.seeWebhooks), deliveries),
    ]

    private static func list(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let webhooks = try await call.service.listWebhooks(of: try call.context())
        return ConsoleAnswer(["webhooks": .array(webhooks.map(json))])
    }

    private static func json(_ summary: WebhookSummary) -> ConsoleJSON {
        let webhook = summary.webhook
        var members: [(String, ConsoleJSON)] = [
            ("id", .string(webhook.id)), ("url", .string(webhook.url)), ("types", ConsoleJSON(webhook.types)),
            ("events", ConsoleJSON(webhook.events.map(\.rawValue).sorted())),
            ("enabled", .boolean(webhook.isEnabled)), ("created", .integer(webhook.created)),
            ("pending", ConsoleJSON(summary.pending)), ("lost", ConsoleJSON(summary.lost)),
        ]
        if let last = summary.last {
            members += [("lastTime", .integer(last.time)), ("lastStatus", status(last))]
        }
        return .object(members)
    }

    private static func status(_ delivery: WebhookDelivery) -> ConsoleJSON {
        delivery.status.map { ConsoleJSON($0) } ?? nil
    }

    /// The secret is in this answer and never again.
    private static func create(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        let events = try events(body)
        let made = try await call.service.createWebhook(
            url: try body.text("url"), types: try body.texts("types", atMost: WebhookLimits.types),
            events: events ?? Set(QuerySubscription.Event.allCases), in: try call.context())
        return ConsoleAnswer(["id": .string(made.id), "secret": .string(made.secret)])
    }

    private static func change(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let body = try call.body()
        var change = WebhookChange(
            url: try body.optionalText("url"), events: try events(body),
            isEnabled: try body.member("enabled")?.boolean())
        if body.member("types") != nil { change.types = try body.texts("types", atMost: WebhookLimits.types) }
        try await call.service.updateWebhook(try call.parameter("id"), change, in: try call.context())
        return .done
    }

    private static func remove(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        try await call.service.removeWebhook(try call.parameter("id"), in: try call.context())
        return .done
    }

    /// Nil where the body names none.
    private static func events(_ body: JSONReader) throws(CloudError) -> Set<QuerySubscription.Event>? {
        guard let array = body.member("events") else { return nil }
        var events: Set<QuerySubscription.Event> = []
        for word in try body.texts("events", atMost: QuerySubscription.Event.allCases.count) {
            guard let event = QuerySubscription.Event(rawValue: word) else {
                throw array.refusal("may hold create, update and delete")
            }
            events.insert(event)
        }
        return events
    }

    private static func deliveries(_ call: ConsoleCall) async throws(CloudError) -> ConsoleAnswer {
        let deliveries = try await call.service.deliveries(
            ofWebhook: try call.parameter("id"), in: try call.context())
        return ConsoleAnswer([
            "deliveries": .array(
                deliveries.map { delivery in
                    [
                        "time": .integer(delivery.time), "event": ConsoleJSON(delivery.firstEvent),
                        "events": ConsoleJSON(delivery.events), "attempt": ConsoleJSON(delivery.attempt),
                        "status": status(delivery), "durationMs": .integer(delivery.duration),
                        "error": ConsoleJSON(delivery.error), "next": delivery.next.map { .integer($0) } ?? nil,
                    ]
                })
        ])
    }
}
