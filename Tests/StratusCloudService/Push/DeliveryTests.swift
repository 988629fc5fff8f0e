import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

@Suite struct DeliveryTests {
    private let shown = NotificationInfo(body: .init("!"))

    @Test(arguments: Engine.allCases)
    func waitsThroughARestartTheLatestOfEachSubscription(engine: Engine) async throws {
        let store = try engine.make()
        let cloud = try await TestCloud(store: store)
        try await cloud.makeZone("Z")
        let device = try await cloud.device()
        try await cloud.subscribe("notes", .records(), shown)
        try await cloud.subscribe("zone", .zone(ZoneID(zoneName: "Z"), recordType: nil))
        try await cloud.subscribe("everyones", .records(), shown, in: .public)
        for name in ["a", "b"] {
            _ = try await cloud.modify([.make(.create, name)], zone: "Z")
            _ = try await cloud.modify([.make(.create, name)], in: .public, as: cloud.user("b"))
        }
        let again = CloudService(
            store: store, secret: Array(repeating: 9, count: 32), environment: cloud.service.environment)
        let later = TestDevice(service: again, registration: device.registration)
        let told = try await later.notifications()
        #expect(told.map(\.subscriptionID).sorted() == ["everyones", "notes", "zone"])
        #expect(told.compactMap(\.recordName) == ["b", "b"])
        await again.stopPush()
        // What was confirmed before the stop does not come again.
        let third = CloudService(
            store: store, secret: Array(repeating: 9, count: 32), environment: cloud.service.environment)
        #expect(try await TestDevice(service: third, registration: device.registration).notifications() == [])
    }

    @Test func aCommitWhoseAnswerIsLostIsStillTold() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store)
        let device = try await cloud.device()
        try await cloud.subscribe("s", .records(), shown)
        _ = try await cloud.modify([.make(.create, "known")])
        #expect(try await device.notifications().count == 1)
        store.failNextCommit(with: StoreError(.ioFailure, "lost"), afterCommit: true)
        await #expect(throws: CloudError.self) { try await cloud.modify([.make(.create, "a")]) }
        // The device is told when it is looked after anew: after a restart.
        let again = CloudService(
            store: store, secret: Array(repeating: 9, count: 32), environment: cloud.service.environment)
        let told = try await TestDevice(service: again, registration: device.registration).notifications()
        #expect(told.map(\.recordName).contains("a"))
    }

    @Test func aNewDeviceIsToldOfWhatComesOnly() async throws {
        let cloud = try await TestCloud()
        let first = try await cloud.device()
        try await cloud.subscribe("s", .records(), shown)
        try await cloud.subscribe("p", .records(), shown, in: .public)
        _ = try await cloud.modify([.make(.create, "a")])
        _ = try await cloud.modify([.make(.create, "a")], in: .public)
        let second = try await cloud.device()
        #expect(try await second.notifications() == [])
        #expect(try await first.notifications().count == 2)
        // Registering again changes nothing of what it has heard.
        let again = try await cloud.service.registerDevice(
            PushTokenRequest(address: .token(first.registration.token)), as: cloud.user())
        #expect(again.courierSecret == first.registration.courierSecret)
        _ = try await cloud.modify([.make(.create, "b")])
        #expect(try await first.notifications().count == 1)
    }

    @Test func oldNotificationsAreNotTold() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        try await cloud.subscribe("old", .records("Old"), shown)
        try await cloud.subscribe("young", .records("Young"), shown)
        _ = try await cloud.modify([.make(.create, "a", type: "Old")])
        cloud.clock.withLock { $0 += 1 }
        _ = try await cloud.modify([.make(.create, "b", type: "Young")])
        cloud.clock.withLock { $0 += PushLimits.queueTime }
        #expect(try await device.notifications().map(\.subscriptionID) == ["young"])
    }

    @Test func aDeletedSubscriptionSaysNothingMore() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        try await cloud.subscribe("s", .records(), shown)
        let listener = try await cloud.service.listen(courierSecret: device.registration.courierSecret, isStream: true)
        #expect(try await listener.next(patience: 0) == .nothing)
        _ = try await cloud.modify([.make(.create, "a")])
        _ = try await cloud.service.modifySubscriptions([.delete(subscriptionID: "s")], in: .private, as: cloud.user())
        #expect(try await listener.next(patience: 0) == .nothing)
        listener.close()
        #expect(try await device.notifications() == [])
    }

    @Test func nobodyHearsWhatIsAnothers() async throws {
        let cloud = try await TestCloud()
        let alice = try await cloud.device()
        let bob = try await cloud.device(of: cloud.user("b"))
        for user in [cloud.user(), cloud.user("b")] {
            try await cloud.subscribe("s", .records(), shown, as: user)
            try await cloud.subscribe("p", .records(), shown, in: .public, as: user)
        }
        _ = try await cloud.modify([.make(.create, "hers")])
        #expect(try await alice.notifications().map(\.recordName) == ["hers"])
        #expect(try await bob.notifications() == [])
        _ = try await cloud.modify([.make(.create, "everyones")], in: .public)
        #expect(try await alice.notifications().map(\.recordName) == ["everyones"])
        #expect(try await bob.notifications().map(\.recordName) == ["everyones"])
    }

    @Test func aListenerWakesAndALaterOneTakesItsPlace() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        try await cloud.subscribe("s", .records(), shown)
        let secret = device.registration.courierSecret
        let first = try await cloud.service.listen(courierSecret: secret, isStream: false)
        let waiting = Task { try await first.next(patience: 3_600_000) }
        let second = try await cloud.service.listen(courierSecret: secret, isStream: false)
        #expect(try await waiting.value == .ended)
        let heard = Task { try await second.next(patience: 3_600_000) }
        _ = try await cloud.modify([.make(.create, "a")])
        guard case .delivery(let delivery) = try await heard.value else { return #expect(Bool(false)) }
        #expect(delivery.notification.recordName == "a")
        let cancelled = Task { try await second.next(patience: 3_600_000) }
        cancelled.cancel()
        #expect(try await cancelled.value == .nothing)
        let stopped = Task { try await second.next(patience: 3_600_000) }
        await cloud.service.stopPush()
        #expect(try await stopped.value == .ended)
        await #expect(throws: CloudError.self) {
            try await cloud.service.listen(courierSecret: secret, isStream: false)
        }
    }

    @Test("Threat 34: a secret with a changed bit, of another cloud or cut short opens nothing")
    func forgedSecrets() async throws {
        let cloud = try await TestCloud()
        let secret = try await cloud.device().registration.courierSecret
        var digits = Array(secret)
        for index in stride(from: 0, to: digits.count, by: 7) {
            let original = digits[index]
            digits[index] = original == "0" ? "1" : "0"
            await #expect(throws: CloudError.self) {
                try await cloud.service.listen(courierSecret: String(digits), isStream: false)
            }
            digits[index] = original
        }
        let foreign = try await TestCloud(store: MemoryStore())
        for text in ["", "00", String(secret.dropLast(2)), secret + "00", String(repeating: "0", count: 10_000)] {
            let error = await #expect(throws: CloudError.self) {
                try await cloud.service.listen(courierSecret: text, isStream: false)
            }
            #expect(error?.code == .notFound)
        }
        // The same key, but no such device there.
        await #expect(throws: CloudError.self) {
            try await foreign.service.listen(courierSecret: secret, isStream: false)
        }
    }

    @Test("Threat 23: when an account's sessions become void, its open listeners end before they hear more")
    func revocation() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.createAccount(email: "a@example.org", password: "long enough")
        let name = try await cloud.service.userRecordName(email: "a@example.org", in: cloud.context)
        let user = Caller(context: cloud.context, principal: .user(name))
        let device = try await cloud.device(of: user)
        try await cloud.subscribe("s", .records(), shown, as: user)
        let secret = device.registration.courierSecret
        let listener = try await cloud.service.listen(courierSecret: secret, isStream: true)
        #expect(try await listener.next(patience: 0) == .nothing)
        let id = try #require(try await cloud.service.account(email: "a@example.org")?.id)
        try await cloud.service.directory.change { transaction in
            var account = try #require(try transaction.value(Account.self, at: DirectoryKey.account(id: id)))
            account.sessionEpoch += 1
            transaction.set(DirectoryKey.account(id: id), account)
        }
        _ = try await cloud.modify([.make(.create, "a")], as: user)
        #expect(try await listener.next(patience: 0) == .ended)
        listener.close()
        let error = await #expect(throws: CloudError.self) {
            try await cloud.service.listen(courierSecret: secret, isStream: true)
        }
        #expect(error?.code == .notFound)
    }

    @Test func devicesAreBounded() async throws {
        let cloud = try await TestCloud()
        var devices: [TestDevice] = []
        for _ in 0...PushLimits.devicesPerUser {
            cloud.clock.withLock { $0 += 1 }
            devices.append(try await cloud.device())
        }
        await #expect(throws: CloudError.self) { try await devices[0].notifications() }
        #expect(try await devices[1].notifications() == [])
        cloud.clock.withLock { $0 += PushLimits.deviceLifetime }
        _ = try await cloud.device()
        await #expect(throws: CloudError.self) { try await devices[1].notifications() }
        #expect(try await devices[PushLimits.devicesPerUser].notifications() == [])
    }

    @Test func whoHasNoDevices() async throws {
        let cloud = try await TestCloud()
        func code(_ caller: Caller, _ request: PushTokenRequest = PushTokenRequest()) async -> CloudError.Code? {
            do { _ = try await cloud.service.registerDevice(request, as: caller) } catch { return error.code }
            return nil
        }
        #expect(await code(cloud.anonymous) == .authenticationRequired)
        #expect(await code(Caller(context: cloud.context, principal: .serverToServer("_k"))) == .accessDenied)
        let long = String(repeating: "c", count: PushLimits.clientIDLength)
        #expect(await code(cloud.user(), PushTokenRequest(clientID: long)) == nil)
        #expect(await code(cloud.user(), PushTokenRequest(clientID: long + "c")) == .badRequest)
        for (token, isGood) in [
            ("00ff", true), ("AP8=", true), ("", false), ("!!", false),
            (String(repeating: "00", count: PushLimits.deviceTokenLength), true),
            (String(repeating: "00", count: PushLimits.deviceTokenLength + 1), false),
        ] {
            #expect(await code(cloud.user(), PushTokenRequest(address: .token(token))) == (isGood ? nil : .badRequest))
        }
        let key = [4] + [UInt8](repeating: 1, count: 64)
        let auth = [UInt8](repeating: 2, count: 16)
        for (endpoint, key, auth, isGood) in [
            ("https://push.example/x", key, auth, true), ("http://push.example/x", key, auth, false),
            ("https://push.example/ x", key, auth, false),
            ("https://push.example/x", Array(key.dropLast()), auth, false),
            ("https://push.example/x", key, Array(auth.dropLast()), false),
            ("https://" + String(repeating: "e", count: PushLimits.endpointLength), key, auth, false),
        ] {
            let address = WebPushAddress(endpoint: endpoint, publicKey: key, authenticationSecret: auth)
            #expect(
                await code(cloud.user(), PushTokenRequest(address: .webPush(address))) == (isGood ? nil : .badRequest))
        }
    }
}
