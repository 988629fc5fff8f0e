import Foundation
import StratusHTTPClient
import StratusTestSupport
import Testing

/// Notifications: what they hold, who gets them, and how devices come for them.
@Suite("Push")
struct PushTests {
    let tenant: Tenant
    let database: Database

    init() async throws {
        tenant = try await Tenant(in: try await Cloud.shared())
        database = tenant.privateDatabase
    }

    @Test("Case 156: a web client makes a token, polls its address, and gets the notification as Apple sends it")
    func case156() async throws {
        let zone = try await database.makeZone()
        let device = try await database.device()
        #expect(Data(base64Encoded: device.token) != nil)
        #expect(device.registration["apnsEnvironment"] == "development")
        try await database.subscribe(
            Watch.query(
                "sub", "Note",
                Watch.alert(
                    "There is news",
                    [
                        "alertLocalizationKey": "NEWS", "alertLocalizationArgs": ["title", "n"],
                        "alertActionLocalizationKey": "OPEN", "alertLaunchImage": "launch.png", "soundName": "ping",
                        "shouldBadge": true, "shouldSendContentAvailable": true, "category": "NEWS_CATEGORY",
                        "additionalFields": ["title", "n"],
                    ])))
        async let polled = device.poll()
        try await database.save(
            Change.create("Note", "r1", Fields.untyped(["title": "Hi", "n": 7, "other": "x"])), zone: zone)
        let answer = try await polled
        #expect(answer.status == 200)
        #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
        #expect(
            answer.json["aps"] == [
                "alert": [
                    "body": "There is news", "loc-key": "NEWS", "loc-args": ["Hi", "7"], "action-loc-key": "OPEN",
                    "launch-image": "launch.png",
                ],
                "badge": 1, "sound": "ping", "category": "NEWS_CATEGORY", "content-available": 1,
            ], "\(answer)")
        var ck = answer.json["ck"]
        #expect(UUID(uuidString: ck["nid"].string ?? "") != nil)
        ck["nid"] = .absent
        #expect(
            ck == [
                "ce": 2, "cid": .string(tenant.container), "ckuserid": .string(tenant.alice.userRecordName),
                "qry": [
                    "zid": .string(zone), "zoid": .string(tenant.alice.userRecordName), "dbs": 1, "sid": "sub",
                    "rid": "r1", "fo": 1, "af": ["title": "Hi", "n": 7],
                ],
            ], "\(answer)")
    }

    @Test("The reasons of a query, and the dictionaries of zone and database subscriptions")
    func kinds() async throws {
        let zone = try await database.makeZone()
        let device = try await database.device()
        try await database.subscribe(
            Watch.query("q", "Note", Watch.alert()), Watch.zone("z", zone), Watch.database("d"))
        var record = try await database.save(Change.create("Note", "r", Fields.untyped(["n": 1])), zone: zone)
        func told() async throws -> [String: JSON] {
            var told: [String: JSON] = [:]
            for _ in 0..<3 {
                let notification = try await device.poll().json
                let ck = notification["ck"]
                for kind in ["qry", "fet", "met"] where ck[kind].isPresent { told[kind] = notification }
            }
            return told
        }
        let created = try await told()
        #expect(created["qry"]?["ck"]["qry"]["fo"] == 1)
        let place: JSON = ["zid": .string(zone), "zoid": .string(tenant.alice.userRecordName), "dbs": 1]
        #expect(created["fet"]?["ck"]["fet"] == place.merging(["sid": "z"]))
        #expect(created["met"]?["ck"]["met"] == place.merging(["sid": "d"]))
        #expect(created["fet"]?["aps"] == ["content-available": 1])
        record = try await database.save(Change.update(record, Fields.untyped(["n": 2])), zone: zone)
        #expect(try await told()["qry"]?["ck"]["qry"]["fo"] == 2)
        _ = try await database.modify([Change.delete(record)], zone: zone)
        #expect(try await told()["qry"]?["ck"]["qry"]["fo"] == 3)
    }

    @Test("A public database's notifications say so, and go to everybody who asked")
    func publicDatabase() async throws {
        let bob = tenant.bobsPublicDatabase
        let devices = [try await tenant.publicDatabase.device(), try await bob.device()]
        for database in [tenant.publicDatabase, bob] {
            try await database.subscribe(Watch.query("p", "Note", Watch.alert()))
        }
        try await tenant.publicDatabase.save(Change.create("Note", "r"))
        for device in devices {
            let query = try await device.poll().json["ck"]["qry"]
            #expect(query["dbs"] == 0 && query["rid"] == "r", "\(query)")
        }
    }

    @Test("Case 155: the client that makes a change is not told of it")
    func case155() async throws {
        let own = try await database.device(clientID: "page-1")
        let other = try await database.device(clientID: "page-2")
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        let body: JSON = ["operations": [Change.create("Note", "mine")]]
        let saved = try await database.send(
            "POST", path: database.path("records/modify"), query: ["clientId=page-1"], body: Array(body.text.utf8))
        #expect(saved.records.first?["recordName"] == "mine", "\(saved)")
        try await database.save(Change.create("Note", "later"))
        #expect(try await own.poll().json["ck"]["qry"]["rid"] == "later")
        // The other was absent, so it gets the latest.
        #expect(try await other.poll().json["ck"]["qry"]["rid"] == "later")
    }

    @Test("Silent notifications of an absent device are one; two shown ones of a present device are two")
    func coalesced() async throws {
        let zone = try await database.makeZone()
        let device = try await database.device()
        let listening = try await EventStream(device)
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        for name in ["a", "b"] { try await database.save(Change.create("Note", name)) }
        #expect(try await listening.next()?.notification["ck"]["qry"]["rid"] == "a")
        #expect(try await listening.next()?.notification["ck"]["qry"]["rid"] == "b")
        listening.close()
        let absent = try await database.device()
        try await database.subscribe(Watch.zone("z", zone))
        for _ in 0..<3 { try await database.save(Change.create("Other"), zone: zone) }
        try await database.save(Change.create("Note", "last"))
        #expect(try await absent.poll().json["ck"]["fet"]["sid"] == "z")
        #expect(try await absent.poll().json["ck"]["qry"]["rid"] == "last")
    }

    @Test("A payload over 4,096 bytes is pruned: what matters most stays, and p says so")
    func pruned() async throws {
        let device = try await database.device()
        let long = String(repeating: "x", count: 3_000)
        try await database.subscribe(
            Watch.query(
                "q", "Note",
                Watch.alert(long, ["title": .string(long), "soundName": "ping", "additionalFields": ["big", "small"]])))
        try await database.save(
            Change.create("Note", "r", Fields.untyped(["big": .string(long), "small": 1])))
        let answer = try await device.poll()
        #expect(answer.text.utf8.count <= 4_096)
        #expect(answer.json["ck"]["p"] == 1, "\(answer)")
        #expect(answer.json["aps"]["alert"]["body"].string == long)
        #expect(answer.json["aps"]["alert"]["title"] == .absent)
        #expect(answer.json["aps"]["sound"] == "ping")
        #expect(answer.json["ck"]["qry"]["af"] == .absent)
        #expect(answer.json["ck"]["qry"]["rid"] == "r")
        #expect(answer.json["ck"]["cid"].string == tenant.container)
    }

    @Test("An event stream resumes behind the event that the client names")
    func resumes() async throws {
        let device = try await database.device()
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        let first = try await EventStream(device)
        for name in ["a", "b", "c"] { try await database.save(Change.create("Note", name)) }
        let event = try #require(try await first.next())
        #expect(event.notification["ck"]["qry"]["rid"] == "a")
        first.close()
        let second = try await EventStream(device, after: event.id)
        for name in ["b", "c"] { #expect(try await second.next()?.notification["ck"]["qry"]["rid"].string == name) }
        try await database.save(Change.create("Note", "d"))
        #expect(try await second.next()?.notification["ck"]["qry"]["rid"] == "d")
    }

    @Test("Tokens under every path that clients use; registering one again gives the same address")
    func tokenPaths() async throws {
        let prefix = "1/\(tenant.container)/development"
        let body: JSON = ["apnsEnvironment": "production", "clientId": "c"]
        var addresses: Set<String> = []
        for path in [
            "/device/\(prefix)", "/database/\(prefix)", "/database/\(prefix)/public", "/database/\(prefix)/private",
        ] {
            let made = try await database.send("POST", path: path + "/tokens/create", body: Array(body.text.utf8))
            #expect(made.status == 200, "\(made)")
            #expect(made.json["apnsEnvironment"] == "production")
            let address = made.json["webcourierURL"].string ?? ""
            #expect(address.hasPrefix(tenant.cloud.server.url + "/"))
            addresses.insert(address)
            let again = try await database.send(
                "POST", path: path + "/tokens/register",
                body: Array(body.merging(["apnsToken": made.json["apnsToken"]]).text.utf8))
            #expect(again.json == made.json, "\(again)")
        }
        #expect(addresses.count == 4)
        expectRefused(
            try await database.send("POST", path: "/device/\(prefix)/tokens/register", body: Array(body.text.utf8)),
            400,
            "BAD_REQUEST", "apnsToken")
        expectRefused(
            try await database.send("POST", path: "/device/\(prefix)/public/records/query", body: []), 404, "NOT_FOUND")
        for (credential, status, code) in [
            (Credential.apiToken(tenant.apiToken), 421, "AUTHENTICATION_REQUIRED"), (tenant.key, 403, "ACCESS_DENIED"),
            (.none, 401, "AUTHENTICATION_FAILED"), (.apiToken(tenant.productionToken), 401, "AUTHENTICATION_FAILED"),
        ] {
            let client = tenant.database("public", credential)
            for action in ["create", "register"] {
                let answer = try await client.send(
                    "POST", path: "/device/\(prefix)/tokens/\(action)",
                    body: Array(body.merging(["apnsToken": "00ff"]).text.utf8))
                expectRefused(answer, status, code)
            }
        }
    }

    @Test("Device tokens of Apple and of browsers are registered beside the courier's")
    func otherAddresses() async throws {
        let path = "/device/1/\(tenant.container)/development/tokens/register"
        let key = Data([4] + [UInt8](repeating: 7, count: 64)).base64EncodedString().replacing("+", with: "-")
            .replacing("/", with: "_").replacing("=", with: "")
        let browser: JSON = [
            "webPush": [
                "endpoint": "https://push.example/1",
                "keys": ["p256dh": .string(key), "auth": "AAAAAAAAAAAAAAAAAAAAAA"],
            ]
        ]
        for body in [["apnsToken": "3q2+7w==", "apnsEnvironment": "production"], ["apnsToken": "deadbeef"], browser] {
            let answer = try await database.send("POST", path: path, body: Array(body.text.utf8))
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.json["webcourierURL"].isPresent && answer.json["apnsToken"].isPresent)
            if body["apnsToken"].isPresent { #expect(answer.json["apnsToken"] == body["apnsToken"]) }
        }
        for (body, word) in [
            (["apnsToken": "%%"] as JSON, "apnsToken"), (["apnsToken": 1], "apnsToken"),
            (["apnsToken": "00", "apnsEnvironment": "test"], "apnsEnvironment"), (["webPush": [:]], "keys"),
            (
                [
                    "webPush": [
                        "endpoint": "http://localhost/",
                        "keys": ["p256dh": .string(key), "auth": "AAAAAAAAAAAAAAAAAAAAAA"],
                    ]
                ], "endpoint"
            ),
        ] {
            let answer = try await database.send("POST", path: path, body: Array(body.text.utf8))
            expectRefused(answer, 400, "BAD_REQUEST", word)
        }
    }

    @Test("A poll without a device, and other methods")
    func refused() async throws {
        for path in ["/push/poll", "/push/poll?token=", "/push/poll?token=00", "/push/events?token=zz"] {
            let request = HTTPClientRequest(method: "GET", url: tenant.cloud.server.url + path)
            let response = try await Database.http.send(request)
            #expect(response.status == 404)
        }
        let device = try await database.device()
        let response = try await Database.http.send(HTTPClientRequest(method: "POST", url: device.webcourierURL))
        #expect(response.status == 405)
    }

    @Test("A broadcast reaches 200 devices that poll at once, each once")
    func broadcast() async throws {
        let bob = tenant.bobsPublicDatabase
        var devices: [Device] = []
        for database in [tenant.publicDatabase, bob] {
            try await database.subscribe(Watch.query("p", "News", Watch.alert()))
            for _ in 0..<100 { devices.append(try await database.device()) }
        }
        let names = try await withThrowingTaskGroup(of: JSON.self) { group in
            for device in devices {
                group.addTask { try await device.poll().json["ck"]["qry"]["rid"] }
            }
            try await tenant.publicDatabase.save(Change.create("News", "flash"))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(names == Array(repeating: "flash", count: 200))
    }

    @Test("Threat 24: the secret of a courier address stands in no log")
    func secretsAreNotLogged() async throws {
        let cloud = try await Cloud(arguments: ["--log-requests"])
        let tenant = try await Tenant(in: cloud)
        let device = try await tenant.privateDatabase.device()
        try await tenant.privateDatabase.subscribe(Watch.query("q", "Note", Watch.alert()))
        try await tenant.privateDatabase.save(Change.create("Note", "r"))
        #expect(try await device.poll().json["ck"].isPresent)
        cloud.server.terminate()
        _ = await cloud.server.ending
        let secret = try #require(device.webcourierURL.split(separator: "=").last)
        let log = await cloud.server.log
        #expect(log.contains("push/poll"))
        #expect(!log.contains(secret))
        #expect(!log.contains(device.token))
    }
}
