import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusCloudService

/// What webhooks are told, when, and how often.
@Suite struct WebhookTests {
    /// A receiver that answers as it is told and writes down what it gets.
    private final class Receiver: WebhookChannel {
        private let outcomes: Lock<[WebhookOutcome]>
        private let sent = AsyncStream<WebhookMessage>.makeStream()
        /// Done once, before an answer.
        let meanwhile = Lock<(@Sendable () async -> Void)?>(nil)

        init(_ outcomes: [WebhookOutcome] = []) { self.outcomes = Lock(outcomes) }

        func objection(to url: String) -> String? { url.hasPrefix("https://") ? nil : "must be https" }

        func deliver(_ message: WebhookMessage) async -> WebhookOutcome {
            let step = meanwhile.withLock { step in
                defer { step = nil }
                return step
            }
            await step?()
            sent.continuation.yield(message)
            return outcomes.withLock { $0.isEmpty ? WebhookOutcome(.delivered, status: 200) : $0.removeFirst() }
        }

        /// The next so many events, awaited, message by message.
        func next(_ count: Int) async -> [WebhookMessage] {
            var messages: [WebhookMessage] = []
            for await message in sent.stream {
                messages.append(message)
                if messages.reduce(0, { $0 + $1.events.count }) >= count { break }
            }
            return messages
        }
    }

    private static let url = "https://app.example/changes"
    private static let later = WebhookOutcome(.retry(after: nil), status: 500, error: "no")
    private static let all = Set(QuerySubscription.Event.allCases)

    private func save(_ cloud: TestCloud, _ operations: RecordOperation...) async throws {
        for result in try await cloud.modify(operations, in: .public) {
            if let error = result.error { throw error }
        }
    }

    /// Waits until nothing waits for a webhook.
    private func settled(_ cloud: TestCloud) async throws -> WebhookSummary {
        var summary = try #require(try await cloud.service.listWebhooks(of: cloud.context).first)
        try await wait(for: "all to be sent") {
            summary = try #require(try await cloud.service.listWebhooks(of: cloud.context).first)
            return summary.pending == 0
        }
        return summary
    }

    @Test(arguments: Engine.allCases)
    func tellsWhatIsWatchedInItsOrder(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        let made = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context)
        try await save(cloud, .make(.create, "a", ["text": .integer(1)]), .make(.create, "other", type: "Other"))
        try await save(cloud, .make(.forceUpdate, "a", ["text": .integer(2)]))
        _ = try await cloud.modify([.make(.create, "mine")])
        try await save(cloud, .make(.forceDelete, "a", type: nil))
        let messages = await receiver.next(3)
        let events = messages.flatMap(\.events)
        #expect(events.map(\.event) == [.create, .update, .delete])
        #expect(events.allSatisfy { $0.recordName == "a" && $0.recordType == "Note" })
        #expect(events.map(\.number) == [1, 2, 3])
        #expect(events[0].recordChangeTag != nil && events[2].recordChangeTag == nil)
        #expect(messages.allSatisfy { $0.secret == made.secret && $0.url == Self.url })
        let summary = try await settled(cloud)
        #expect(summary.last?.status == 200)
        await cloud.service.stopPush()
    }

    @Test func aClientsTraceGoesAlong() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([Self.later])
        try await cloud.service.startWebhooks(receiver, pauses: [3_600_000])
        _ = try await cloud.service.createWebhook(url: Self.url, types: ["Note"], events: Self.all, in: cloud.context)
        var caller = cloud.user()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        caller.trace = TraceContext(traceparent: ["00-\(trace)-00f067aa0ba902b7-01"], tracestate: ["a=1"])
        try await save(cloud, .make(.create, "a"))
        #expect(await receiver.next(1).first?.trace == nil)
        // A message has the trace of the first event that has one, in a step of its own; what waits in the store keeps it.
        #expect(try await cloud.modify([.make(.create, "b")], in: .public, as: caller).first?.saved != nil)
        await cloud.service.stopPush()
        let next = try await TestCloud(restarting: cloud)
        let later = Receiver()
        try await next.service.startWebhooks(later)
        let message = try #require(await later.next(2).first)
        #expect(message.events.map(\.recordName) == ["a", "b"])
        #expect(message.trace?.traceID == trace && message.trace?.state == "a=1")
        #expect(message.trace?.spanID != "00f067aa0ba902b7", "sending is a step of its own")
        await next.service.stopPush()
    }

    /// What an earlier version queued waits on.
    @Test func eventsOfEarlierVersionsAreRead() throws {
        let event = WebhookEvent(
            number: 1, event: .create, recordType: "Note", recordName: "a", zoneName: "_defaultZone",
            recordChangeTag: "1", time: 2)
        #expect(event.stored[0] == 2 && event.stored.last == 0)
        #expect(try WebhookEvent(stored: [1] + event.stored.dropFirst().dropLast()) == event)
    }

    @Test func onlyTheEventsThatAreWanted() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        _ = try await cloud.service.createWebhook(url: Self.url, types: ["Note"], events: [.delete], in: cloud.context)
        try await save(cloud, .make(.create, "a"), .make(.create, "b"))
        try await save(cloud, .make(.forceDelete, "b", type: nil))
        #expect(await receiver.next(1).flatMap(\.events).map(\.recordName) == ["b"])
        await cloud.service.stopPush()
    }

    @Test("Threat 51: what a receiver does not take comes again under the same name, until it does")
    func threat51() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([Self.later, Self.later])
        try await cloud.service.startWebhooks(receiver, pauses: [0])
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await save(cloud, .make(.create, "a"))
        let messages = await receiver.next(3)
        #expect(messages.count == 3 && Set(messages.map(\.id)).count == 1)
        _ = try await settled(cloud)
        let deliveries = try await cloud.service.deliveries(ofWebhook: id, in: cloud.context)
        #expect(deliveries.map(\.attempt) == [3, 2, 1])
        #expect(deliveries.map(\.status) == [200, 500, 500])
        #expect(deliveries[1].next != nil && deliveries[0].next == nil)
        await cloud.service.stopPush()
    }

    @Test func whatWaitsIsSentAfterARestart() async throws {
        let cloud = try await TestCloud()
        let deaf = Receiver([Self.later])
        try await cloud.service.startWebhooks(deaf, pauses: [3_600_000])
        let made = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context)
        try await save(cloud, .make(.create, "a"))
        _ = await deaf.next(1)
        try await save(cloud, .make(.create, "b"))
        await cloud.service.stopPush()
        let again = try await TestCloud(restarting: cloud)
        let receiver = Receiver()
        try await again.service.startWebhooks(receiver)
        let messages = await receiver.next(2)
        #expect(messages.flatMap(\.events).map(\.recordName) == ["a", "b"])
        #expect(messages.first?.secret == made.secret)
        await again.service.stopPush()
    }

    @Test func aReceiverThatIsGoneIsSwitchedOff() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([WebhookOutcome(.gone, status: 410)])
        try await cloud.service.startWebhooks(receiver)
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await save(cloud, .make(.create, "a"))
        _ = await receiver.next(1)
        try await wait(for: "the webhook to be switched off") {
            try await cloud.service.listWebhooks(of: cloud.context).first?.webhook.isEnabled != true
        }
        // What happens meanwhile is not noted; what waited is sent when it is switched on again.
        try await save(cloud, .make(.create, "b"))
        #expect(try await cloud.service.listWebhooks(of: cloud.context).first?.pending == 1)
        try await cloud.service.updateWebhook(id, WebhookChange(isEnabled: true), in: cloud.context)
        try await save(cloud, .make(.create, "c"))
        #expect(await receiver.next(2).flatMap(\.events).map(\.recordName) == ["a", "c"])
        await cloud.service.stopPush()
    }

    /// Whoever corrects an address does not wait for hours.
    @Test func aChangedOneIsTriedAtOnce() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([Self.later])
        try await cloud.service.startWebhooks(receiver, pauses: [3_600_000])
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await save(cloud, .make(.create, "a"))
        _ = await receiver.next(1)
        try await wait(for: "an attempt to be noted") {
            try await !cloud.service.deliveries(ofWebhook: id, in: cloud.context).isEmpty
        }
        try await cloud.service.updateWebhook(id, WebhookChange(url: Self.url + "/new"), in: cloud.context)
        #expect(await receiver.next(1).map(\.url) == [Self.url + "/new"])
        _ = try await settled(cloud)
        #expect(try await cloud.service.deliveries(ofWebhook: id, in: cloud.context).map(\.attempt) == [1, 1])
        await cloud.service.stopPush()
    }

    @Test func anAddressThatIsGoneTakesNoOtherWithIt() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([WebhookOutcome(.gone, status: 410)])
        try await cloud.service.startWebhooks(receiver)
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        receiver.meanwhile.withLock {
            $0 = {
                await #expect(throws: Never.self) {
                    try await cloud.service.updateWebhook(id, WebhookChange(url: Self.url + "/new"), in: cloud.context)
                }
            }
        }
        try await save(cloud, .make(.create, "a"))
        #expect(await receiver.next(2).map(\.url) == [Self.url, Self.url + "/new"])
        #expect(try await settled(cloud).webhook.isEnabled)
        await cloud.service.stopPush()
    }

    /// Which of two changes is heard of first is chance.
    @Test func theLaterChangeStays() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        let service = cloud.service
        let context = cloud.context
        let earlier = EnabledWebhooks(ids: [], revision: service.webhooks.nextRevision())
        _ = try await service.createWebhook(url: Self.url, types: ["Note"], events: Self.all, in: context)
        service.webhooks.set(earlier, of: context, for: service)
        // The task that looks at a new webhook may still find the first of these, not all of them.
        for number in 0..<20 {
            try await save(cloud, .make(.create, "r\(number)"))
            _ = try await settled(cloud)
        }
        #expect(await receiver.next(20).flatMap(\.events).count == 20)
        await service.stopPush()
    }

    @Test func manyMadeAtOnceAreAllTold() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<WebhookLimits.perContext {
                group.addTask {
                    _ = try await cloud.service.createWebhook(
                        url: "\(Self.url)/\(number)", types: ["Note"], events: Self.all, in: cloud.context)
                }
            }
            try await group.waitForAll()
        }
        try await save(cloud, .make(.create, "a"))
        #expect(Set(await receiver.next(WebhookLimits.perContext).map(\.url)).count == WebhookLimits.perContext)
        await cloud.service.stopPush()
    }

    @Test func aRemovedOneIsToldNothingMore() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        let first = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await cloud.service.removeWebhook(first, in: cloud.context)
        try await save(cloud, .make(.create, "a"))
        let second = try await cloud.service.createWebhook(
            url: Self.url + "/2", types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await save(cloud, .make(.create, "b"))
        let messages = await receiver.next(1)
        #expect(messages.flatMap(\.events).map(\.recordName) == ["b"])
        #expect(messages.first?.url == Self.url + "/2" && first != second)
        await cloud.service.stopPush()
    }

    @Test func resettingDevelopmentLeavesThemThere() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver()
        try await cloud.service.startWebhooks(receiver)
        _ = try await cloud.service.createWebhook(url: Self.url, types: ["Note"], events: [.create], in: cloud.context)
        try await cloud.service.resetDevelopment(of: cloud.context.container)
        try await save(cloud, .make(.create, "a"))
        #expect(await receiver.next(1).flatMap(\.events).map(\.recordName) == ["a"])
        await cloud.service.stopPush()
    }

    @Test func whatIsOlderThanThreeDaysIsGivenUp() async throws {
        let cloud = try await TestCloud()
        let deaf = Receiver([Self.later])
        try await cloud.service.startWebhooks(deaf, pauses: [3_600_000])
        _ = try await cloud.service.createWebhook(url: Self.url, types: ["Note"], events: Self.all, in: cloud.context)
        try await save(cloud, .make(.create, "old"))
        _ = await deaf.next(1)
        await cloud.service.stopPush()
        cloud.clock.withLock { $0 += WebhookLimits.lifetime }
        try await save(cloud, .make(.create, "edge"))
        cloud.clock.withLock { $0 += 1 }
        let again = try await TestCloud(restarting: cloud)
        let receiver = Receiver()
        try await again.service.startWebhooks(receiver)
        #expect(await receiver.next(1).flatMap(\.events).map(\.recordName) == ["edge"])
        #expect(try await settled(again).pending == 0)
        await again.service.stopPush()
    }

    @Test func limitsAtTheirEdges() async throws {
        let cloud = try await TestCloud()
        func create(
            url: String = Self.url, types: Int = 1, events: Set<QuerySubscription.Event> = [.create]
        ) async throws {
            _ = try await cloud.service.createWebhook(
                url: url, types: (0..<types).map { "T\($0)" }, events: events, in: cloud.context)
        }
        await #expect(throws: CloudError.self, "without a channel") { try await create() }
        try await cloud.service.startWebhooks(Receiver())
        try await create(types: WebhookLimits.types)
        for types in [0, WebhookLimits.types + 1] {
            await #expect(throws: CloudError.self) { try await create(types: types) }
        }
        await #expect(throws: CloudError.self) { try await create(events: []) }
        await #expect(throws: CloudError.self) { try await create(url: "http://app.example/") }
        let filler = String(repeating: "x", count: WebhookLimits.urlLength - Self.url.utf8.count)
        try await create(url: Self.url + filler)
        await #expect(throws: CloudError.self) { try await create(url: Self.url + filler + "x") }
        for _ in 2..<WebhookLimits.perContext { try await create() }
        await #expect(throws: CloudError.self) { try await create() }
        #expect(try await cloud.service.listWebhooks(of: cloud.context).count == WebhookLimits.perContext)
        await cloud.service.stopPush()
    }

    @Test func whatFindsNoRoomIsCounted() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.startWebhooks(Receiver([Self.later]), pauses: [3_600_000])
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        try await cloud.store.write(.publicDatabase(of: cloud.context)) { transaction in
            var count = WebhookCount()
            count.waiting = UInt64(WebhookLimits.waitingEvents) - 1
            transaction.set(WebhookKey.count(id), count)
        }
        try await save(cloud, .make(.create, "a"), .make(.create, "b"))
        let summary = try #require(try await cloud.service.listWebhooks(of: cloud.context).first)
        #expect(summary.pending == WebhookLimits.waitingEvents && summary.lost == 1)
        await cloud.service.stopPush()
    }

    @Test func messagesAndAttemptsAreBounded() async throws {
        let cloud = try await TestCloud()
        let receiver = Receiver([Self.later])
        try await cloud.service.startWebhooks(receiver, pauses: [0])
        let id = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).id
        for batch in 0..<2 {
            _ = try await cloud.modify(
                (0..<100).map { .make(.create, "r\(batch)-\($0)") }, in: .public)
        }
        for number in 0...WebhookLimits.deliveries { try await save(cloud, .make(.create, "s\(number)")) }
        _ = try await settled(cloud)
        let messages = await receiver.next(200)
        #expect(messages.allSatisfy { $0.events.count <= WebhookLimits.eventsPerMessage })
        let deliveries = try await cloud.service.deliveries(ofWebhook: id, in: cloud.context)
        #expect(deliveries.count <= WebhookLimits.deliveries)
        await cloud.service.stopPush()
    }

    /// A stolen database signs nothing.
    @Test func theSecretLiesNowhere() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.startWebhooks(Receiver())
        let secret = try await cloud.service.createWebhook(
            url: Self.url, types: ["Note"], events: Self.all, in: cloud.context
        ).secret
        let key = try #require(Base64.decode(String(secret.dropFirst(6))))
        #expect(key.count == 32)
        let stored = try await cloud.store.read(.publicDatabase(of: cloud.context)) {
            try $0.entries(in: KeyRange(prefix: Key([])), limit: .max).flatMap { $0.key.bytes + $0.value }
        }
        #expect(!stored.contains(key) && !stored.contains(Array(secret.utf8)))
        await cloud.service.stopPush()
    }
}
