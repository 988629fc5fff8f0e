import StratusCloudModel
import StratusCloudStore
import StratusWaiting
import StratusWorkers
import Testing

@testable import StratusCloudService

@Suite struct ChannelTests {
    /// A push service that answers as it is told and writes down what it gets.
    private final class FakeChannel: PushChannel {
        let kind = PushAddress.Kind.apns
        private let outcomes: Lock<[PushOutcome]>
        private let sent = AsyncStream<(PushMessage, PushAddress)>.makeStream()

        init(_ outcomes: [PushOutcome] = []) { self.outcomes = Lock(outcomes) }

        func deliver(_ message: PushMessage, to address: PushAddress) async -> PushOutcome {
            sent.continuation.yield((message, address))
            return outcomes.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
        }

        /// The next messages, awaited.
        func next(_ count: Int) async -> [PushMessage] {
            var messages: [PushMessage] = []
            for await (message, _) in sent.stream {
                messages.append(message)
                if messages.count == count { break }
            }
            return messages
        }
    }

    private func register(_ cloud: TestCloud) async throws {
        _ = try await cloud.service.registerDevice(PushTokenRequest(address: .token("00ff")), as: cloud.user())
        try await cloud.subscribe("s", .records(), NotificationInfo(body: .init("!")))
    }

    @Test func givesAChannelWhatItsDevicesAreTold() async throws {
        let cloud = try await TestCloud()
        let channel = FakeChannel()
        try await cloud.service.startPush([channel])
        try await register(cloud)
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b")])
        let messages = await channel.next(2)
        #expect(messages.map(\.notification.recordName) == ["a", "b"])
        #expect(messages[0].expires == cloud.clock.withLock { $0 } + PushLimits.queueTime)
        await cloud.service.stopPush()
    }

    @Test(arguments: Engine.allCases) func aClientsTraceGoesAlong(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let channel = FakeChannel()
        try await cloud.service.startPush([channel])
        try await register(cloud)
        var caller = cloud.user()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        caller.trace = TraceContext(traceparent: ["00-\(trace)-00f067aa0ba902b7-01"], tracestate: ["a=1"])
        _ = try await cloud.modify([.make(.create, "a")], as: caller)
        _ = try await cloud.modify([.make(.create, "b")])
        let messages = await channel.next(2)
        let sent = try #require(messages[0].trace)
        #expect(sent.traceID == trace && sent.state == "a=1" && sent.flags == 1)
        #expect(sent.spanID != "00f067aa0ba902b7", "sending is a step of its own")
        #expect(messages[1].trace == nil)
        await cloud.service.stopPush()
        // What waits in the store has it, too.
        let between = try await TestCloud(restarting: cloud)
        _ = try await between.modify([.make(.create, "c")], as: caller)
        let next = try await TestCloud(restarting: cloud)
        let later = FakeChannel()
        try await next.service.startPush([later])
        let waited = try #require(await later.next(1).first)
        #expect(waited.notification.recordName == "c" && waited.trace?.traceID == trace && waited.trace?.state == "a=1")
        await next.service.stopPush()
        await cloud.store.close()
    }

    @Test("Threat 51: what a push service refuses for now comes again, in order; what it refuses for good does not")
    func threat51() async throws {
        let cloud = try await TestCloud()
        let channel = FakeChannel([
            .retry(afterSeconds: 0), .retry(afterSeconds: 0), .delivered, .refused(reason: "no"),
        ])
        try await cloud.service.startPush([channel])
        try await register(cloud)
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b"), .make(.create, "c")])
        #expect(await channel.next(5).map(\.notification.recordName) == ["a", "a", "a", "b", "c"])
        #expect(cloud.reports.withLock { $0.count } == 1)
        await cloud.service.stopPush()
    }

    @Test("Threat 51: a device that its push service does not know is forgotten")
    func gone() async throws {
        let cloud = try await TestCloud()
        let channel = FakeChannel([.gone])
        try await cloud.service.startPush([channel])
        try await register(cloud)
        _ = try await cloud.modify([.make(.create, "a")])
        _ = await channel.next(1)
        let id = DeviceID(address: .apns(token: [0, 255], .development))
        let owner = PushOwner(context: cloud.context, userRecordName: cloud.user().userRecordName ?? "")
        try await wait(for: "the device to be forgotten") { try await cloud.service.device(id, of: owner) == nil }
        await cloud.service.stopPush()
    }

    @Test("Threat 51: after a restart what was not delivered goes out by itself")
    func restart() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store)
        try await register(cloud)
        _ = try await cloud.modify([.make(.create, "a")])
        let again = CloudService(
            store: store, secret: Array(repeating: 9, count: 32), environment: cloud.service.environment)
        let channel = FakeChannel()
        try await again.startPush([channel])
        #expect(await channel.next(1).map(\.notification.recordName) == ["a"])
        await again.stopPush()
    }
}
