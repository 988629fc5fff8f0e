import Foundation
import StratusTestSupport
import StratusWaiting
import Testing

/// What the server writes down about requests (threats 24 and 33).
@Suite("Log")
struct LogTests {
    @Test("The log of requests has the UUID of an error and no secret, one JSON object a line whatever clients send")
    func log() async throws {
        let tenant = try await Tenant(in: try await Cloud(arguments: ["--log-requests"]))
        let database = tenant.privateDatabase
        let value = Unique.name("value")
        _ = try await database.save(
            Change.create("Note", "line\"break", Fields.untyped(["f": .string("\(value)\n{\"level\":\"forged\"}")])))
        let refused = try await database.send(
            "POST", path: database.path("records/query"),
            headers: ["User-Agent": "evil\"} {\"level\":\"forged\"", "Origin": "https://app.example.org"], body: [0x7B]
        )
        let uuid = try #require(refused.json["uuid"].string)
        _ = try await tenant.database("public", tenant.key).save(Change.create("Note"))
        _ = try await tenant.database("public", .apiToken(tenant.apiToken + "x")).get("zones/list")
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
        let log = await tenant.cloud.server.log
        #expect(log.contains(uuid), "no \(uuid) in the log")
        let secrets = [
            tenant.apiToken, tenant.productionToken, tenant.alice.webAuthToken, tenant.alice.password, value,
            tenant.bob.password, tenant.bob.webAuthToken,
        ]
        for secret in secrets { #expect(!log.contains(secret), "\(secret) in the log") }
        // What the operator is told in words, on standard output.
        let words = ["listening on ", "console http"]
        for line in log.split(separator: "\n") where !words.contains(where: { line.hasPrefix($0) }) {
            let json = try? JSON(parsing: String(line))
            #expect(json?.object != nil, "no JSON object: \(line)")
            #expect(json?["level"] != "forged")
        }
    }

    @Test("A client's trace stands in the line of its request, and what is none does not")
    func traces() async throws {
        let tenant = try await Tenant(in: try await Cloud(arguments: ["--log-requests"]))
        let database = tenant.privateDatabase
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")
        for (path, parent) in [
            (database.path("zones/list"), "00-\(trace)-\(span)-01"),
            (database.path("users/caller"), "00-\(trace)-\(span)-zz"),
            ("/nowhere", "00-\(trace)-\(span)-00"),
        ] {
            _ = try await database.send("GET", path: path, headers: ["traceparent": parent, "tracestate": "secret=1"])
        }
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
        let lines = await tenant.cloud.server.log.split(separator: "\n").compactMap { try? JSON(parsing: String($0)) }
        func line(_ target: String) throws -> JSON {
            try #require(lines.first { $0["target"].string?.hasPrefix(target) == true })
        }
        for target in [database.path("zones/list"), "/nowhere"] {
            let found = try line(target)
            #expect(found["trace"].string == trace && found["parentSpan"].string == span)
            let own = try #require(found["span"].string)
            #expect(own.utf8.count == 16 && own != span)
        }
        #expect(!(try line(database.path("users/caller")))["trace"].isPresent)
        #expect(!lines.contains { $0.text.contains("secret=1") })
    }

    @Test("Unasked, the log has the UUID of every refusal, whole or of an item, and no line for what went well")
    func refusals() async throws {
        let tenant = try await Tenant(in: try await Cloud())
        let database = tenant.privateDatabase
        let record = try await database.save(Change.create("Note", "there"))
        let whole = try await database.send("POST", path: database.path("records/query"), body: [0x7B])
        let item = try await database.modify([Change.create("Note", "there")])
        let uuids = [whole.json["uuid"].string, item.json["records"][0]["uuid"].string]
        tenant.cloud.server.terminate()
        #expect(await tenant.cloud.server.ending == .exited(0))
        let log = await tenant.cloud.server.log
        for uuid in uuids { #expect(log.contains(try #require(uuid))) }
        #expect(log.split(separator: "\n").count { $0.contains("records/modify") } == 1, "\(record)")
    }

    @Test("A poll that waits has one line, when it is over: with its time, status and bytes, whatever ended it")
    func heldRequests() async throws {
        let file = try TemporaryDirectory()
        let tokenFile = file.path + "/token"
        try "secret".write(toFile: tokenFile, atomically: true, encoding: .utf8)
        let tenant = try await Tenant(
            in: try await Cloud(arguments: ["--log-requests", "--metrics-token-file", tokenFile]))
        let database = tenant.privateDatabase
        try await database.subscribe(Watch.query("q", "Note", Watch.alert()))
        let told = try await database.device()
        async let answer = told.poll()
        try await listeners(1, tenant)
        let counter = "stratus_http_requests_total{listener=\"public\",route=\"push/poll\",status=\"200\"}"
        #expect(try await metrics(tenant).contains(counter + " 0\n"))
        try await database.save(Change.create("Note"))
        let body = try await answer.text
        try await listeners(0, tenant)
        try await wait(for: counter) { try await metrics(tenant).contains(counter + " 1\n") }

        let (gone, left) = (try await database.device(), try await database.device())
        let client = try ChildProcess("/usr/bin/curl", ["-s", gone.webcourierURL])
        let stream = try await EventStream(left)
        try await listeners(2, tenant)
        client.send(SIGKILL)
        stream.close()
        try await listeners(0, tenant)

        async let last = left.poll()
        try await listeners(1, tenant)
        tenant.cloud.server.terminate()
        #expect(try await last.text == "null")
        #expect(await tenant.cloud.server.ending == .exited(0))
        let lines = await tenant.cloud.server.log.split(separator: "\n")
            .compactMap { try? JSON(parsing: String($0)) }.filter { $0["target"].string?.hasPrefix("/push/") == true }
        #expect(
            lines.map(\.["route"]).sorted { "\($0)" < "\($1)" } == [
                "push/events", "push/poll", "push/poll", "push/poll",
            ])
        let polls = lines.filter { $0["route"] == "push/poll" }
        #expect(polls.map(\.["status"]) == [200, 499, 200], "\(polls)")
        #expect(polls.map(\.["bytes"]) == [.int(body.utf8.count), 0, 4], "\(polls)")
        #expect(polls.allSatisfy { ($0["milliseconds"].double ?? 0) > 0 })
        let events = try #require(lines.first { $0["route"] == "push/events" })
        #expect(events["status"] == 200 && (events["bytes"].int ?? 0) >= 13, "\(events)")
    }

    private func metrics(_ tenant: Tenant) async throws -> String {
        try await tenant.database("public", .none).send(
            "GET", path: "/metrics", headers: ["Authorization": "Bearer secret"]
        ).text
    }

    /// Waits until so many devices listen.
    private func listeners(_ count: Int, _ tenant: Tenant) async throws {
        try await wait(for: "\(count) listeners") {
            try await metrics(tenant).contains("stratus_push_listeners \(count)\n")
        }
    }
}
