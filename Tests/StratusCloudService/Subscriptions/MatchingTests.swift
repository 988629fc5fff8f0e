import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

@Suite struct MatchingTests {
    @Test(arguments: Engine.allCases)
    func creationsUpdatesAndDeletions(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        let device = try await cloud.device()
        try await cloud.subscribe("all", .records(), NotificationInfo(body: .init("!")))
        try await cloud.subscribe("deleted", .records(on: [.delete]), NotificationInfo(body: .init("!")))
        let record = try #require(try await cloud.modify([.make(.create, "r", ["n": .integer(1)])])[0].saved)
        let tag = record.recordChangeTag
        _ = try await cloud.modify([.make(.update, "r", tag: tag, ["n": .integer(2)])])
        _ = try await cloud.modify([.make(.create, "other", type: "Other")])
        _ = try await cloud.modify([.make(.forceDelete, "r"), .make(.forceDelete, "absent")])
        let told = try await device.notifications()
        // Of those that waited, the latest of each subscription.
        #expect(Set(told.map(\.subscriptionID)) == ["all", "deleted"])
        #expect(told.allSatisfy { $0.event == .delete && $0.recordName == "r" })
        #expect(told.allSatisfy { $0.scope == .private && $0.userRecordName == cloud.user().userRecordName })
    }

    @Test("Who listens hears everything, in order")
    func everything() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        try await cloud.subscribe("all", .records(), NotificationInfo(body: .init("!")))
        let listener = try await cloud.service.listen(
            courierSecret: device.registration.courierSecret, isStream: true)
        defer { listener.close() }
        #expect(try await listener.next(patience: 0) == .nothing)
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b")])
        _ = try await cloud.modify([.make(.forceUpdate, "a", ["n": .integer(1)])])
        _ = try await cloud.modify([.make(.forceDelete, "b")])
        var heard: [String] = []
        while case .delivery(let delivery) = try await listener.next(patience: 0) {
            let notification = delivery.notification
            heard.append("\(notification.event?.rawValue ?? "") \(notification.recordName ?? "")")
        }
        #expect(heard == ["create a", "create b", "update a", "delete b"])
    }

    @Test("A failed batch tells nobody")
    func failedBatch() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let device = try await cloud.device()
        try await cloud.subscribe("s", .records(), NotificationInfo(body: .init("!")))
        _ = try await cloud.modify([.make(.create, "a", ["n": .integer(1)])], zone: "Z")
        #expect(try await device.notifications().count == 1)
        let results = try await cloud.modify([.make(.create, "b"), .make(.create, "a")], zone: "Z")
        #expect(results.compactMap(\.saved).isEmpty)
        #expect(try await device.notifications() == [])
    }

    @Test("Predicates, zones and the last version of what is deleted")
    func predicates() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        _ = try await cloud.modify([
            .make(.create, "first", ["n": .integer(0), "to": .text(""), "tags": .list([.text("")])])
        ])
        let device = try await cloud.device()
        let info = NotificationInfo(body: .init("!"))
        try await cloud.subscribe(
            "big", .records("Note", [Filter(.greaterThan, .named("n"), FieldInput(.integer(9)))]), info)
        try await cloud.subscribe("me", .records("Note", [.equals("to", .text("me"))]), info)
        try await cloud.subscribe(
            "tag", .records("Note", [Filter(.listContains, .named("tags"), FieldInput(.text("x")))]), info)
        try await cloud.subscribe(
            "some", .records("Note", [Filter(.in, .named("n"), FieldInput(.list([.integer(3), .integer(4)])))]), info)
        try await cloud.subscribe("zone", .records(zone: "Z"), info)

        func told(_ operation: RecordOperation, zone: String? = nil) async throws -> Set<String> {
            _ = try await cloud.modify([operation], zone: zone)
            return Set(try await device.notifications().map(\.subscriptionID))
        }
        #expect(try await told(.make(.create, "a", ["n": .integer(10)])) == ["big"])
        #expect(try await told(.make(.forceUpdate, "a", ["n": .integer(5)])) == [])
        #expect(try await told(.make(.forceUpdate, "a", ["n": .integer(3), "to": .text("me")])) == ["some", "me"])
        #expect(try await told(.make(.forceUpdate, "a", ["to": .text("you")])) == ["some"])
        #expect(try await told(.make(.forceDelete, "a")) == ["some"])
        #expect(try await told(.make(.create, "b", ["tags": .list([.text("x"), .text("y"), .text("x")])])) == ["tag"])
        #expect(try await told(.make(.create, "c", ["n": .integer(1)]), zone: "Z") == ["zone"])
    }

    @Test("A subscription that fires once fires once")
    func once() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        try await cloud.subscribe("s", .records(once: true), NotificationInfo(body: .init("!")))
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b")])
        _ = try await cloud.modify([.make(.create, "c")])
        #expect(try await device.notifications().map(\.recordName) == ["a"])
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user()) == [])
    }

    @Test("Zone and database subscriptions: custom zones only, once a commit, by record type")
    func zonesAndDatabases() async throws {
        let cloud = try await TestCloud()
        for zone in ["Y", "Z"] { try await cloud.makeZone(zone) }
        let device = try await cloud.device()
        try await cloud.subscribe("z", .zone(ZoneID(zoneName: "Z"), recordType: nil))
        try await cloud.subscribe("typed", .zone(ZoneID(zoneName: "Z"), recordType: "Other"))
        try await cloud.subscribe("d", .database(recordType: nil))
        func told() async throws -> [String] {
            try await device.notifications().map { "\($0.subscriptionID) \($0.kind.zoneName)" }.sorted()
        }
        _ = try await cloud.modify([.make(.create, "a")])
        #expect(try await told() == [])
        _ = try await cloud.modify([.make(.create, "a"), .make(.create, "b")], zone: "Z")
        #expect(try await told() == ["d Z", "z Z"])
        _ = try await cloud.modify([.make(.create, "c", type: "Other")], zone: "Z")
        #expect(try await told() == ["d Z", "typed Z", "z Z"])
        _ = try await cloud.modify([.make(.create, "a")], zone: "Y")
        #expect(try await told() == ["d Y"])
        try await cloud.makeZone("New")
        #expect(try await told() == ["d New"])
        try await cloud.makeZone("New")
        #expect(try await told() == [])
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "New"))], in: .private, as: cloud.user())
        #expect(try await told() == ["d New"])
    }

    @Test("Case 155: the client that makes a change is not told of it, its user's others are")
    func case155() async throws {
        let cloud = try await TestCloud()
        let phone = try await cloud.device(clientID: "phone")
        let laptop = try await cloud.device(clientID: "laptop")
        let unnamed = try await cloud.device()
        try await cloud.subscribe("s", .records(), NotificationInfo(body: .init("!")))
        var caller = cloud.user()
        caller.clientID = "phone"
        _ = try await cloud.modify([.make(.create, "a")], as: caller)
        #expect(try await phone.notifications() == [])
        #expect(try await laptop.notifications().map(\.recordName) == ["a"])
        #expect(try await unnamed.notifications().map(\.recordName) == ["a"])
    }

    @Test("What a notification says, filled from the record")
    func content() async throws {
        let cloud = try await TestCloud()
        let device = try await cloud.device()
        let info = NotificationInfo(
            body: .init("b", localizationKey: "K", localizationArguments: ["title", "n", "when", "missing"]),
            title: .init(localizationKey: "T", localizationArguments: ["ref"]), subtitle: .init("s"),
            actionLocalizationKey: "A", launchImage: "L", soundName: "ping", shouldBadge: true,
            shouldSendContentAvailable: true, shouldSendMutableContent: true, category: "C", collapseIDKey: "title",
            desiredKeys: ["title", "n", "missing"])
        try await cloud.subscribe("s", .records(), info)
        _ = try await cloud.modify([
            .make(
                .create, "r",
                [
                    "title": .text("Hi"), "n": .integer(7),
                    "when": .scalar(.timestamp(Timestamp(milliseconds: 1_000_000_000_123))),
                    "ref": .scalar(.reference(Reference(recordName: "target"))),
                ])
        ])
        let told = try #require(try await device.notifications().first)
        #expect(
            told.body
                == .init("b", localizationKey: "K", localizationArguments: ["Hi", "7", "2001-09-09T01:46:40Z", ""]))
        #expect(told.title == .init(localizationKey: "T", localizationArguments: ["target"]))
        #expect(told.subtitle == .init("s"))
        #expect(told.actionLocalizationKey == "A" && told.launchImage == "L" && told.soundName == "ping")
        #expect(told.badge == 1 && told.category == "C" && told.collapseID == "Hi")
        #expect(told.isContentAvailable && told.isMutableContent && !told.isSilent)
        #expect(told.fields?.map(\.name) == ["n", "title"])
        #expect(told.container == cloud.context.container)
    }

    @Test("Threat 12: who may no longer read a type is told nothing of it, not even what was queued before")
    func threat12() async throws {
        let cloud = try await TestCloud()
        let readable =
            "DEFINE SCHEMA RECORD TYPE T ( a STRING QUERYABLE, GRANT CREATE TO \"_icloud\", GRANT READ TO \"_world\" );"
        let hidden = "DEFINE SCHEMA RECORD TYPE T ( a STRING QUERYABLE, GRANT CREATE TO \"_icloud\" );"
        try await cloud.service.applySchema(readable, to: cloud.context)
        let bob = cloud.user("b")
        let device = try await cloud.device(of: bob)
        try await cloud.subscribe(
            "s", .records("T"), NotificationInfo(body: .init("!"), desiredKeys: ["a"]), in: .public, as: bob)
        _ = try await cloud.modify([.make(.create, "r", type: "T", ["a": .text("x")])], in: .public)
        try await cloud.service.applySchema(hidden, to: cloud.context)
        _ = try await cloud.modify([.make(.create, "q", type: "T", ["a": .text("x")])], in: .public)
        #expect(try await device.notifications() == [])
        try await cloud.service.applySchema(readable, to: cloud.context)
        _ = try await cloud.modify([.make(.create, "p", type: "T", ["a": .text("x")])], in: .public)
        #expect(try await device.notifications().map(\.recordName) == ["p"])
    }

    @Test("A save reads nothing for subscriptions that cannot match, however many there are")
    func cost() async throws {
        let store = ObservedStore(MemoryStore(), by: AccessMeter())
        let cloud = try await TestCloud(store: store)
        func save(_ name: String) async throws -> AccessMeter.Counts {
            try await store.observer.counting {
                _ = try await cloud.modify(
                    [.make(.create, name, ["to": .text("nobody"), "n": .integer(1)])], in: .public)
            }
        }
        _ = try await save("warm")
        let bare = try await save("bare")
        for user in "0123456789" {
            let others = (0..<100).map { number in
                SubscriptionOperation.create(
                    SubscriptionInput(subscriptionID: "t\(number)", kind: .records("Type\(number)")))
            }
            _ = try await cloud.service.modifySubscriptions(others, in: .public, as: cloud.user(user))
        }
        // One key more is read in a batch that is read anyway, whether or not somebody subscribes.
        #expect(try await save("types") == bare)
        for user in "0123456789" {
            let others = (0..<100).map { number in
                SubscriptionOperation.create(
                    SubscriptionInput(
                        subscriptionID: "v\(number)",
                        kind: .records("Note", [.equals("to", .text("\(user)-\(number)"))])))
            }
            let results = try await cloud.service.modifySubscriptions(others, in: .public, as: cloud.user(user))
            #expect(results.allSatisfy { $0.subscription != nil })
        }
        // One empty range for the value of the one field that predicates fix.
        var expected = bare
        expected.ranges += 1
        expected.readsToWrite += 1
        let values = try await save("values")
        #expect(values == expected)
    }
}

extension CloudNotification.Kind {
    fileprivate var zoneName: String {
        switch self {
        case .query(_, let zone, _, _), .zone(let zone), .database(let zone): zone.zoneName
        }
    }
}
