import StratusCloudModel
import StratusCloudWire
import Testing

@Suite struct SubscriptionTests {
    private static let all: [SubscriptionOperation] = [
        .create(
            SubscriptionInput(
                subscriptionID: "q",
                kind: .query(
                    QuerySubscription(
                        query: Query(
                            recordType: "T",
                            filters: [
                                Filter(.equals, .named("s"), FieldInput(.text("x"), declaredType: .scalar(.string))),
                                Filter(.in, .system(.recordName), FieldInput(.list([.text("a")]))),
                            ]), firesOn: [.delete], firesOnce: true, zoneID: ZoneID(zoneName: "Z"))),
                notificationInfo: NotificationInfo(
                    body: .init("b", localizationKey: "k", localizationArguments: ["x"]), title: .init("t"),
                    subtitle: .init(localizationKey: "s"), actionLocalizationKey: "a", launchImage: "l",
                    soundName: "p", shouldBadge: true, shouldSendContentAvailable: true,
                    shouldSendMutableContent: true, category: "c", collapseIDKey: "i", desiredKeys: ["f"]))),
        .update(SubscriptionInput(subscriptionID: nil, kind: .zone(ZoneID(zoneName: "Z"), recordType: "T"))),
        .create(SubscriptionInput(subscriptionID: "d", kind: .database(recordType: nil), notificationInfo: .init())),
        .delete(subscriptionID: "gone"),
    ]

    @Test func requestsReadBackAsTheyWereWritten() throws {
        #expect(try decoder.modifySubscriptions(RequestEncoder().modifySubscriptions(Self.all)) == Self.all)
        let named = Self.all.dropLast() + [.delete(subscriptionID: "gone", requestID: "r")]
        #expect(try decoder.modifySubscriptions(RequestEncoder().modifySubscriptions(Array(named))) == Array(named))
        #expect(try decoder.lookupSubscriptions(RequestEncoder().lookupSubscriptions(["a", "b"])) == ["a", "b"])
        #expect(try decoder.listSubscriptions(RequestEncoder().listSubscriptions()) == WireOptions())
        #expect(throws: CloudError.self) {
            let filter = Filter(.equals, .named("n"), FieldInput(.decimal(.infinity)))
            _ = try RequestEncoder().modifySubscriptions([
                .create(
                    SubscriptionInput(
                        kind: .query(QuerySubscription(query: Query(recordType: "T", filters: [filter])))))
            ])
        }
    }

    @Test func answersReadBackAsTheyWereWritten() throws {
        var results: [SubscriptionResult] = [
            .deleted(subscriptionID: "x"), .failed(subscriptionID: "y", CloudError(.notFound, "no")),
            .failed(subscriptionID: nil, CloudError(.badRequest, "bad")),
        ]
        var subscriptions: [Subscription] = []
        for case .create(let input) in Self.all {
            var kind = input.kind
            if case .query(var query) = kind {
                // Answers name the owner of every zone.
                query.zoneID?.ownerRecordName = "_me"
                kind = .query(query)
            }
            let subscription = Subscription(
                subscriptionID: input.subscriptionID ?? "", kind: kind, notificationInfo: input.notificationInfo)
            subscriptions.append(subscription)
            results.append(.subscription(subscription))
        }
        #expect(try ResponseDecoder().subscriptionResults(encoder.subscriptions(results)) == results)
        #expect(try ResponseDecoder().subscriptions(encoder.listSubscriptions(subscriptions)) == subscriptions)
    }

    @Test func whatIsNotSaidMeans() throws {
        let body =
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"query","query":{"recordType":"T"}}}]}"#
        guard case .create(let input)? = try decoder.modifySubscriptions(body.bytes).first,
            case .query(let query) = input.kind
        else { return #expect(Bool(false)) }
        #expect(input.subscriptionID == nil && input.notificationInfo == nil)
        #expect(query.firesOn == [.create, .update, .delete] && !query.firesOnce && query.zoneID == nil)
        let narrow = body.replacing(#""query":{"#, with: #""zoneWide":false,"query":{"#)
        guard case .create(let second)? = try decoder.modifySubscriptions(narrow.bytes).first,
            case .query(let inDefaultZone) = second.kind
        else { return #expect(Bool(false)) }
        #expect(inDefaultZone.zoneID == .default)
    }

    @Test func namesTheNativeWayAreRead() throws {
        let body =
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"database","notificationInfo":{"desiredKeys":["a"]}}}]}"#
        guard case .create(let input)? = try decoder.modifySubscriptions(body.bytes).first else {
            return #expect(Bool(false))
        }
        #expect(input.notificationInfo?.desiredKeys == ["a"])
    }

    @Test func deviceTokens() throws {
        let create = try decoder.pushToken(#"{"apnsToken":"00","clientId":"c"}"#.bytes, isRegistration: false)
        #expect(create == PushTokenRequest(environment: .development, clientID: "c"))
        let register = try decoder.pushToken(
            #"{"apnsToken":"00","apnsEnvironment":"production"}"#.bytes, isRegistration: true)
        #expect(register == PushTokenRequest(environment: .production, address: .token("00")))
        let browser = try decoder.pushToken(
            #"{"webPush":{"endpoint":"https://e","keys":{"p256dh":"_-8","auth":"AAE"}}}"#.bytes, isRegistration: true)
        #expect(
            browser.address
                == .webPush(
                    WebPushAddress(endpoint: "https://e", publicKey: [0xFF, 0xEF], authenticationSecret: [0, 1])))
        #expect(
            reason(#"{"webPush":{"endpoint":"https://e","keys":{"p256dh":"*","auth":"AAE"}}}"#) {
                body throws(CloudError) in
                try decoder.pushToken(body, isRegistration: true)
            } == "webPush.keys.p256dh must be base64url.")
        #expect(
            reason(#"{}"#) { body throws(CloudError) in try decoder.pushToken(body, isRegistration: true) }
                == "The body has no apnsToken.")
    }
}
