import Foundation
import StratusHTTPClient
import StratusTestSupport
import Testing

/// What browsers need around the answers.
@Suite("Transport")
struct TransportTests {
    let tenant: Tenant

    init() async throws { tenant = try await Tenant.shared("Transport") }

    private let origin = "https://app.example.org"

    @Test(
        "Preflights are answered on every path",
        arguments: [
            "records/modify", "records/query", "zones/list", "users/caller", "nothing/at/all",
        ])
    func preflight(action: String) async throws {
        let database = tenant.database("public", .none)
        let answer = try await database.send(
            "OPTIONS", path: database.path(action),
            headers: [
                "Origin": origin, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type,x-apple-cloudkit-request-keyid",
            ])
        #expect(answer.status == 200)
        #expect([origin, "*"].contains(answer.headers["Access-Control-Allow-Origin"]), "\(answer.headers)")
        let allowed = answer.headers["Access-Control-Allow-Headers"]?.lowercased() ?? ""
        for name in ["keyid", "iso8601date", "signaturev1"] {
            #expect(allowed.contains("x-apple-cloudkit-request-\(name)"), "\(allowed)")
        }
        #expect(allowed.contains("content-type"))
        #expect(answer.headers["Access-Control-Allow-Methods"]?.contains("POST") == true)
    }

    @Test(
        "Answers, errors too, can be read by a page of another origin, with the renewed token",
        arguments: [true, false])
    func crossOrigin(isGood: Bool) async throws {
        let database = tenant.privateDatabase
        let answer = try await database.send(
            "POST", path: database.path("records/lookup"), headers: ["Origin": origin, "Content-Type": "text/plain"],
            body: Array((isGood ? "{\"records\":[]}" : "{").utf8))
        #expect(answer.status == (isGood ? 200 : 400))
        #expect([origin, "*"].contains(answer.headers["Access-Control-Allow-Origin"]), "\(answer.headers)")
        let exposed = answer.headers["Access-Control-Expose-Headers"]?.lowercased() ?? ""
        for name in ["web-auth-token", "session"] {
            #expect(exposed.contains("x-apple-cloudkit-\(name)"), "\(exposed)")
        }
        #expect(exposed.contains("x-apple-request-uuid"))
    }

    @Test("Every answer names its request, an error by the same UUID as its body")
    func requestUUID() async throws {
        let good = try await tenant.publicDatabase.get("zones/list")
        #expect(good.headers["X-Apple-Request-UUID"].flatMap(UUID.init(uuidString:)) != nil)
        let bad = try await tenant.publicDatabase.post("records/query", text: "{")
        #expect(bad.headers["X-Apple-Request-UUID"] == bad.json["uuid"].string)
        #expect(bad.json["uuid"].string != good.headers["X-Apple-Request-UUID"])
    }

    @Test("Answers are JSON in UTF-8 and are kept in no cache")
    func contentType() async throws {
        for answer in [
            try await tenant.publicDatabase.get("zones/list"),
            try await tenant.publicDatabase.post("records/query", text: "{"),
        ] {
            #expect(answer.headers["Content-Type"]?.lowercased() == "application/json; charset=utf-8")
            #expect(answer.headers["Cache-Control"]?.contains("no-store") == true)
        }
    }

    @Test("Metrics are not open to the world on the public port")
    func metrics() async throws {
        let database = tenant.database("public", .none)
        for path in ["/metrics", "/debug", "/admin"] {
            let answer = try await database.send("GET", path: path)
            #expect([401, 403, 404].contains(answer.status), "\(path) \(answer)")
        }
    }
}
