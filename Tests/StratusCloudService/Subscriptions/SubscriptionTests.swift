import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct SubscriptionTests {
    @Test(arguments: Engine.allCases)
    func savedListedFoundReplacedAndDeleted(engine: Engine) async throws {
        let cloud = try await TestCloud(engine)
        try await cloud.makeZone("Z")
        let info = NotificationInfo(
            body: .init("new", localizationKey: "KEY", localizationArguments: ["title"]), title: .init("t"),
            actionLocalizationKey: "act", launchImage: "img", soundName: "s", shouldBadge: true,
            shouldSendContentAvailable: true, shouldSendMutableContent: true, category: "c", collapseIDKey: "k",
            desiredKeys: ["a", "b", "c"])
        let made = try await cloud.subscribe("q", .records(on: [.create, .delete], once: true, zone: "Z"), info)
        let expected = Subscription(
            subscriptionID: "q",
            kind: .query(
                QuerySubscription(
                    query: Query(recordType: "Note"), firesOn: [.create, .delete], firesOnce: true,
                    zoneID: ZoneID(zoneName: "Z", ownerRecordName: cloud.user().userRecordName))),
            notificationInfo: info)
        #expect(made.subscription == expected)
        try await cloud.subscribe("z", .zone(ZoneID(zoneName: "Z"), recordType: nil))
        try await cloud.subscribe("d", .database(recordType: "Note"))
        let all = try await cloud.service.listSubscriptions(in: .private, as: cloud.user())
        #expect(all.map(\.subscriptionID) == ["d", "q", "z"])
        #expect(all[1] == expected)
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user("b")) == [])

        let replaced = try await cloud.service.modifySubscriptions(
            [.update(SubscriptionInput(subscriptionID: "q", kind: .records("Other")))], in: .private, as: cloud.user())
        #expect(replaced.first?.subscription?.notificationInfo == nil)
        let deleted = try await cloud.service.modifySubscriptions(
            [.delete(subscriptionID: "q"), .delete(subscriptionID: "z"), .delete(subscriptionID: "d")], in: .private,
            as: cloud.user())
        #expect(deleted == ["q", "z", "d"].map { .deleted(subscriptionID: $0) })
        // Nothing is left of them, the summary and the indexes included.
        let left = try await cloud.store.read(
            .privateDatabase(of: cloud.user().userRecordName ?? "", in: cloud.context)
        ) { transaction in
            try (UInt8(0x60)...0x7F).flatMap {
                try transaction.entries(in: .init(prefix: .init([$0])), limit: 10)
            }
        }
        #expect(left == [])
    }

    @Test func theServiceNamesWhatTheClientDoesNot() async throws {
        let cloud = try await TestCloud()
        let name = try #require(try await cloud.subscribe(nil, .records()).subscription?.subscriptionID)
        #expect(name.count == 36)
    }

    @Test("Case 148: saving again under the same name succeeds")
    func case148() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let kind = Subscription.Kind.zone(ZoneID(zoneName: "Z"), recordType: nil)
        let first = try await cloud.subscribe("s", kind)
        #expect(try await cloud.subscribe("s", kind) == first)
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user()).count == 1)
    }

    @Test("Case 149: the same content under another name is refused as a duplicate")
    func case149() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let info = NotificationInfo(body: .init("different"))
        for kind in [
            Subscription.Kind.records(on: [.create]), .zone(ZoneID(zoneName: "Z"), recordType: nil),
            .database(recordType: nil),
        ] {
            let first = try #require(try await cloud.subscribe(nil, kind).subscription)
            let error = try await cloud.subscribe("other", kind, info).error
            #expect(error?.code == .internalError)
            #expect(error?.reason.contains("could not find subscription we just created") == true)
            #expect(error?.reason.contains("subscription is duplicate of '\(first.subscriptionID)'") == true)
        }
        // Other events are another subscription, and so is another user's.
        #expect(try await cloud.subscribe("more", .records(on: [.create, .update])).subscription != nil)
        #expect(try await cloud.subscribe("s", .records(on: [.create]), as: cloud.user("b")).subscription != nil)
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user()).count == 4)
    }

    @Test("Cases 150 and 151: an unknown name is an error of its own, for fetching, deleting and updating")
    func case150() async throws {
        let cloud = try await TestCloud()
        try await cloud.subscribe("here", .records())
        let found = try await cloud.service.lookupSubscriptions(
            ["gone", "here"], in: .private, as: cloud.user())
        #expect(found.count == 2)
        #expect(found[0].error?.code == .notFound)
        #expect(found[1].subscription?.subscriptionID == "here")
        let results = try await cloud.service.modifySubscriptions(
            [
                .delete(subscriptionID: "gone"),
                .update(SubscriptionInput(subscriptionID: "never", kind: .records("Other"))),
            ], in: .private, as: cloud.user())
        #expect(results.compactMap(\.error?.code) == [.notFound, .notFound])
    }

    @Test("Each kind belongs to certain databases")
    func databases() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let zone = Subscription.Kind.zone(ZoneID(zoneName: "Z"), recordType: nil)
        for (kind, scope, words) in [
            (zone, DatabaseScope.public, "zone"), (zone, .shared, "zone"),
            (.database(recordType: nil), .public, "database"),
            (.records(), .shared, "query"), (.zone(.default, recordType: nil), .private, "custom zone"),
        ] {
            let error = try await cloud.subscribe("s", kind, in: scope).error
            #expect(error?.code == .badRequest)
            #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
        }
        let absent = try await cloud.subscribe("s", .zone(ZoneID(zoneName: "absent"), recordType: nil))
        #expect(absent.error?.code == .zoneNotFound)
        // What others share is watched although nothing is shared yet: apps ask for it when they start.
        #expect(try await cloud.subscribe("s", .database(recordType: nil), in: .shared).subscription != nil)
        #expect(try await cloud.service.listSubscriptions(in: .shared, as: cloud.user()).count == 1)
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user()) == [])
    }

    @Test("A predicate is checked when it is saved")
    func predicates() async throws {
        let cloud = try await TestCloud()
        _ = try await cloud.modify([.make(.create, "r", ["n": .integer(1)])])
        let unknownField = try await cloud.subscribe("s", .records("Note", [.equals("x", .integer(1))]))
        #expect(unknownField.error?.reason == "Did not find field: 'x' in type: 'Note'")
        let wrongType = try await cloud.subscribe("s", .records("Note", [.equals("n", .text("one"))]))
        #expect(wrongType.error?.code == .badRequest)
        let unknownType = try await cloud.subscribe("s", .records("Never", [.equals("x", .integer(1))]))
        #expect(unknownType.error?.code == .notFound)
        let nothing = try await cloud.subscribe("s", .records("Note", on: []))
        #expect(nothing.error?.reason.contains("firesOn") == true)
        let production = try await TestCloud(environment: .production)
        #expect(try await production.subscribe("s", .records("Never")).error?.code == .notFound)
    }

    @Test("Limits, from both sides")
    func limits() async throws {
        let cloud = try await TestCloud()
        let most = ServiceLimits.subscriptionsPerDatabase
        var made = 0
        while made < most {
            let operations = (made..<min(most, made + ServiceLimits.subscriptionsPerRequest)).map {
                SubscriptionOperation.create(SubscriptionInput(subscriptionID: "s\($0)", kind: .records("Type\($0)")))
            }
            let results = try await cloud.service.modifySubscriptions(operations, in: .private, as: cloud.user())
            #expect(results.allSatisfy { $0.subscription != nil })
            made += operations.count
        }
        let error = try await cloud.subscribe("more", .records("More")).error
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("\(most)") == true)
        #expect(try await cloud.subscribe("s0", .records("Replaced")).subscription != nil)
        #expect(try await cloud.subscribe("s", .records("More"), as: cloud.user("b")).subscription != nil)

        let names = (0...ServiceLimits.subscriptionsPerRequest).map { "n\($0)" }
        await #expect(throws: CloudError.self) {
            try await cloud.service.lookupSubscriptions(names, in: .private, as: cloud.user())
        }
        #expect(
            try await cloud.service.lookupSubscriptions(Array(names.dropLast()), in: .private, as: cloud.user()).count
                == ServiceLimits.subscriptionsPerRequest)
        await #expect(throws: CloudError.self) {
            try await cloud.service.modifySubscriptions(
                [.delete(subscriptionID: "a"), .delete(subscriptionID: "a")], in: .private, as: cloud.user())
        }
    }

    @Test("Limits of one subscription")
    func limitsOfOne() async throws {
        let cloud = try await TestCloud()
        func code(_ name: String, _ info: NotificationInfo?) async throws -> CloudError.Code? {
            try await cloud.subscribe(name, .records("T\(name.prefix(3))"), info, as: cloud.user("c")).error?.code
        }
        func fields(_ count: Int) -> [String] { (0..<count).map { "f\($0)" } }
        #expect(try await code("a1", NotificationInfo(desiredKeys: fields(3))) == nil)
        #expect(try await code("a2", NotificationInfo(desiredKeys: fields(4))) == .badRequest)
        for text in [\NotificationInfo.body, \.title, \.subtitle]
            as [WritableKeyPath<NotificationInfo, NotificationInfo.Text>]
        {
            var info = NotificationInfo()
            info[keyPath: text] = .init(localizationKey: "k", localizationArguments: fields(16))
            #expect(try await code("a1", info) == nil)
            info[keyPath: text].localizationArguments = fields(17)
            #expect(try await code("a2", info) == .badRequest)
        }
        #expect(try await code("", nil) == .badRequest)
        #expect(try await code("a\nb", nil) == .badRequest)
        #expect(try await code(String(repeating: "n", count: 255), nil) == nil)
        #expect(try await code(String(repeating: "m", count: 256), nil) == .badRequest)
        let text = String(repeating: "x", count: ServiceLimits.subscriptionSize)
        #expect(try await code("a3", NotificationInfo(body: .init(text))) == .badRequest)
        #expect(try await code("a3", NotificationInfo(body: .init(String(text.dropLast(200))))) == nil)
    }

    @Test("Threat 2: another owner's zone cannot be watched")
    func threat2() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        let foreign = ZoneID(zoneName: "Z", ownerRecordName: cloud.user().userRecordName)
        let kinds = [
            Subscription.Kind.zone(foreign, recordType: nil),
            .query(QuerySubscription(query: Query(recordType: "Note"), zoneID: foreign)),
        ]
        for kind in kinds {
            let error = try await cloud.subscribe("s", kind, as: cloud.user("b")).error
            #expect(error?.reason == "PrivateDB can't be used to access another user's zone")
        }
        #expect(try await cloud.service.listSubscriptions(in: .private, as: cloud.user("b")) == [])
    }

    @Test("Threat 11: a type that may not be read cannot be watched, and watching needs a user")
    func threat11() async throws {
        let cloud = try await TestCloud()
        try await cloud.service.applySchema(
            """
            DEFINE SCHEMA
                RECORD TYPE Secret ( a STRING QUERYABLE, GRANT CREATE TO "_icloud" );
                RECORD TYPE Own ( a STRING QUERYABLE, GRANT CREATE TO "_icloud", GRANT READ TO "_creator" );
            """, to: cloud.context)
        #expect(try await cloud.subscribe("s", .records("Secret"), in: .public).error?.code == .accessDenied)
        #expect(try await cloud.subscribe("o", .records("Own"), in: .public).subscription != nil)
        let error = await #expect(throws: CloudError.self) {
            try await cloud.subscribe("s", .records("Own"), in: .public, as: cloud.anonymous)
        }
        #expect(error?.code == .authenticationRequired)
        let key = Caller(context: cloud.context, principal: .serverToServer("_" + String(repeating: "9", count: 32)))
        #expect(try await cloud.subscribe("k", .records("Own"), in: .public, as: key).subscription != nil)
        let refused = await #expect(throws: CloudError.self) {
            try await cloud.subscribe("k", .records("Own"), as: key)
        }
        #expect(refused?.code == .accessDenied)
    }

    @Test("With a zone its subscriptions go")
    func zoneDeleted() async throws {
        let cloud = try await TestCloud()
        try await cloud.makeZone("Z")
        try await cloud.subscribe("z", .zone(ZoneID(zoneName: "Z"), recordType: nil))
        try await cloud.subscribe("q", .records(zone: "Z"))
        try await cloud.subscribe("d", .database(recordType: nil))
        _ = try await cloud.service.modifyZones(
            [ZoneOperation(.delete, ZoneID(zoneName: "Z"))], in: .private, as: cloud.user())
        let left = try await cloud.service.listSubscriptions(in: .private, as: cloud.user())
        #expect(left.map(\.subscriptionID) == ["d"])
    }
}
