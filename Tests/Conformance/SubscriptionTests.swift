import StratusTestSupport
import Testing

/// Subscriptions over the wire.
@Suite("Subscriptions")
struct SubscriptionTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        // Of each test its own, since all of a user's subscriptions are listed together.
        tenant = try await Tenant(in: try await Cloud.shared())
        database = tenant.privateDatabase
    }

    @Test("All members come back as they were sent, from modify, lookup and list")
    func members() async throws {
        let zone = try await database.makeZone()
        _ = try await database.save(Change.create("Note", nil, Fields.untyped(["n": 1])))
        let info: JSON = [
            "alertBody": "body", "alertLocalizationKey": "KEY", "alertLocalizationArgs": ["a", "b"],
            "alertActionLocalizationKey": "ACT", "alertLaunchImage": "image", "soundName": "ping",
            "shouldBadge": true, "shouldSendContentAvailable": true, "additionalFields": ["a", "b", "c"],
            "category": "CAT",
        ]
        let filter = Condition.filter("n", "GREATER_THAN", 3)
        let query = Watch.query(
            "q", "Note",
            [
                "query": ["recordType": "Note", "filterBy": [filter]], "firesOn": ["create", "delete"],
                "firesOnce": true, "notificationInfo": info,
            ])
        let made = try await database.subscribe(query, Watch.zone("z", zone), Watch.database("d"))
        #expect(made.count == 3)
        for (sent, got) in zip([query, Watch.zone("z", zone), Watch.database("d")], made) {
            for key in ["subscriptionID", "subscriptionType", "firesOnce"] { #expect(got[key] == sent[key], "\(got)") }
        }
        #expect(made[0]["query"]["recordType"] == "Note")
        #expect(made[0]["query"]["filterBy"][0]["comparator"] == "GREATER_THAN")
        #expect(made[0]["query"]["filterBy"][0]["fieldValue"]["value"] == 3)
        #expect(made[0]["firesOn"] == ["create", "delete"])
        #expect(made[0]["zoneWide"] == true)
        for (key, value) in info.object ?? [:] { #expect(made[0]["notificationInfo"][key] == value, "\(key)") }
        #expect(made[1]["zoneID"]["zoneName"].string == zone)
        #expect(made[1]["zoneID"]["ownerRecordName"].string == tenant.alice.userRecordName)
        #expect(made[1]["query"] == .absent && made[1]["firesOn"] == .absent)

        let listed = try await database.get("subscriptions/list")
        #expect(listed.json["subscriptions"] == .array([made[2], made[0], made[1]]), "\(listed)")
        let posted = try await database.post("subscriptions/list", [:])
        #expect(posted.json["subscriptions"] == listed.json["subscriptions"])
        let bare = try await database.post("subscriptions/lookup", ["subscriptions": ["z", "q"]])
        #expect(bare.json["subscriptions"] == .array([made[1], made[0]]), "\(bare)")
    }

    @Test("Cases 148, 150, 151: the same again, unknown names among known ones")
    func case148() async throws {
        let zone = try await database.makeZone()
        let made = try await database.subscribe(Watch.zone("z", zone))
        #expect(try await database.subscribe(Watch.zone("z", zone)) == made)
        let found = try await database.post(
            "subscriptions/lookup", ["subscriptions": [["subscriptionID": "gone"], ["subscriptionID": "z"]]])
        #expect(found.status == 200)
        let items = found.json["subscriptions"]
        #expect(items[0]["subscriptionID"] == "gone" && items[0]["serverErrorCode"] == "NOT_FOUND", "\(found)")
        #expect(items[1] == made[0])
        let deleted = try await database.subscriptions([
            ["operationType": "delete", "subscription": ["subscriptionID": "gone"]],
            ["operationType": "delete", "subscription": ["subscriptionID": "z"]],
            ["operationType": "update", "subscription": Watch.query("never", "Note")],
        ])
        #expect(deleted[0]["serverErrorCode"] == "NOT_FOUND", "\(deleted)")
        #expect(deleted[1] == ["subscriptionID": "z", "deleted": true])
        #expect(deleted[2]["serverErrorCode"] == "NOT_FOUND")
        #expect(try await database.get("subscriptions/list").json["subscriptions"] == [])
    }

    @Test("Case 149: the same content under another name is INTERNAL_ERROR, in Apple's words")
    func case149() async throws {
        _ = try await database.subscribe(Watch.query("one", "Note", ["firesOn": ["create"]]))
        let items = try await database.subscriptions([
            ["operationType": "create", "subscription": Watch.query("two", "Note", ["firesOn": ["create"]])],
            ["operationType": "create", "subscription": Watch.query("three", "Note", ["firesOn": ["update"]])],
        ])
        #expect(items[0]["serverErrorCode"] == "INTERNAL_ERROR", "\(items)")
        #expect(items[0]["reason"].string?.contains("could not find subscription we just created") == true)
        #expect(items[1]["subscriptionID"] == "three")
    }

    @Test("A name is made where none is sent")
    func names() async throws {
        var subscription = Watch.query("x", "Note")
        subscription["subscriptionID"] = .absent
        let made = try await database.subscribe(subscription)
        #expect(made[0]["subscriptionID"].string?.count == 36)
    }

    @Test(
        "What cannot be meant is refused by name",
        arguments: [
            (#"{}"#, "operations"), (#"{"operations":[{}]}"#, "operationType"),
            (#"{"operations":[{"operationType":"create"}]}"#, "subscription"),
            (#"{"operations":[{"operationType":"make","subscription":{}}]}"#, "operationType"),
            (#"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s"}}]}"#, "subscriptionType"),
            (
                #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"all"}}]}"#,
                "subscriptionType"
            ),
            (#"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"query"}}]}"#, "query"),
            (#"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"zone"}}]}"#, "zoneID"),
            (
                #"{"operations":[{"operationType":"create","subscription":{"subscriptionType":"query","query":{"recordType":"Note"},"firesOn":["read"]}}]}"#,
                "firesOn[0]"
            ),
            (#"{"operations":[{"operationType":"delete","subscription":{}}]}"#, "subscriptionID"),
        ])
    func badInput(body: String, word: String) async throws {
        expectRefused(try await database.post("subscriptions/modify", text: body), 400, "BAD_REQUEST", word)
        #expect(try await database.get("subscriptions/list").json["subscriptions"] == [])
    }

    @Test("200 operations or names, and not one more")
    func limits() async throws {
        func operations(_ count: Int) -> JSON {
            [
                "operations": .array(
                    (0..<count).map {
                        ["operationType": "delete", "subscription": ["subscriptionID": .string("s\($0)")]]
                    })
            ]
        }
        #expect(try await database.post("subscriptions/modify", operations(200)).status == 200)
        expectRefused(
            try await database.post("subscriptions/modify", operations(201)), 400, "BAD_REQUEST", "201", "200")
        let names = JSON.strings((0..<201).map { "s\($0)" })
        expectRefused(
            try await database.post("subscriptions/lookup", ["subscriptions": names]), 400, "BAD_REQUEST", "201")
    }

    @Test("Who may: a user everywhere, a key in the public database, an API token nowhere")
    func rights() async throws {
        let body: JSON = [
            "operations": [["operationType": "create", "subscription": Watch.query("s", "Users")]], "subscriptions": [],
        ]
        for action in ["subscriptions/list", "subscriptions/lookup", "subscriptions/modify"] {
            for scope in ["public", "private", "shared"] {
                let anonymous = tenant.database(scope, .apiToken(tenant.apiToken))
                expectRefused(
                    try await anonymous.post(action, body.merging(["subscriptions": []])), 421,
                    "AUTHENTICATION_REQUIRED")
                let nobody = tenant.database(scope, .none)
                expectRefused(try await nobody.post(action, body), 401, "AUTHENTICATION_FAILED")
            }
            let key = tenant.database("private", tenant.key)
            expectRefused(try await key.post(action, body), 403, "ACCESS_DENIED")
        }
        let made = try await tenant.database("public", tenant.key).post("subscriptions/modify", body)
        #expect(made.json["subscriptions"][0]["subscriptionID"] == "s", "\(made)")
        // Nobody sees another's.
        #expect(try await tenant.publicDatabase.get("subscriptions/list").json["subscriptions"] == [])
        let gone = try await tenant.publicDatabase.post("subscriptions/lookup", ["subscriptions": ["s"]])
        #expect(gone.json["subscriptions"][0]["serverErrorCode"] == "NOT_FOUND", "\(gone)")
    }
}
