import TestSupport
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
        for line in log.split(separator: "\n") where !line.hasPrefix("listening on ") {
            let json = try? JSON(parsing: String(line))
            #expect(json?.object != nil, "no JSON object: \(line)")
            #expect(json?["level"] != "forged")
        }
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
}
