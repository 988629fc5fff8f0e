import StratusCloudModel
import StratusCloudService
import Testing

@testable import StratusCloudServer

/// Who may call what: every route, as everybody.
@Suite struct ConsoleAccessTests {
    /// The routes with who may at least call them: in development, then in production where that is not the same.
    /// Written down apart from the code, so that a route that opens is seen here.
    private static let table = """
        GET session: anybody
        POST set-up: anybody
        POST sign-in: anybody
        GET invitations/:code: anybody
        POST invitations/:code: anybody
        POST sign-out: signedIn
        POST password: signedIn
        GET account: signedIn
        POST account: signedIn
        DELETE account: signedIn
        GET containers: signedIn
        POST containers: owner
        GET c/:container/team: viewer
        POST c/:container/team: admin
        PUT c/:container/team/:id: admin
        DELETE c/:container/team/:id: admin
        GET c/:container/:environment/schema: viewer
        POST c/:container/:environment/schema/validate: viewer
        POST c/:container/development/schema/import: developer
        GET c/:container/schema/diff: viewer
        POST c/:container/schema/deploy: admin
        GET c/:container/:environment/schema/history: viewer
        POST c/:container/:environment/schema/rollback: developer admin
        POST c/:container/development/schema/reset: admin
        GET c/:container/:environment/schema/indexes: viewer
        GET c/:container/:environment/roles: viewer
        POST c/:container/:environment/roles: developer admin
        DELETE c/:container/:environment/roles/:role: developer admin
        GET c/:container/:environment/roles/:role/members: viewer
        POST c/:container/:environment/roles/:role/members: developer admin
        DELETE c/:container/:environment/roles/:role/members/:user: developer admin
        GET c/:container/:environment/tokens: viewer
        POST c/:container/:environment/tokens: developer admin
        PUT c/:container/:environment/tokens/:id: developer admin
        DELETE c/:container/:environment/tokens/:id: developer admin
        GET c/:container/:environment/keys: viewer
        POST c/:container/:environment/keys: admin
        DELETE c/:container/:environment/keys/:id: admin
        GET c/:container/development/test-accounts: developer
        POST c/:container/development/test-accounts: developer
        DELETE c/:container/development/test-accounts/:id: developer
        GET c/:container/:environment/telemetry: viewer
        GET c/:container/:environment/log: viewer
        GET c/:container/:environment/users: viewer
        GET c/:container/:environment/pushes: viewer
        GET c/:container/settings: viewer
        PUT c/:container/settings: admin
        GET c/:container/:environment/export: viewer
        GET c/:container/:environment/webhooks: viewer
        POST c/:container/:environment/webhooks: developer admin
        PUT c/:container/:environment/webhooks/:id: developer admin
        DELETE c/:container/:environment/webhooks/:id: developer admin
        GET c/:container/:environment/webhooks/:id/deliveries: viewer
        POST c/:container/:environment/ck/:scope/records/query: viewer
        POST c/:container/:environment/ck/:scope/records/lookup: viewer
        POST c/:container/:environment/ck/:scope/records/modify: developer
        POST c/:container/:environment/ck/:scope/records/changes: viewer
        POST c/:container/:environment/ck/:scope/records/resolve: viewer
        POST c/:container/:environment/ck/:scope/records/accept: developer
        POST c/:container/:environment/ck/:scope/records/decline: developer
        POST c/:container/:environment/ck/:scope/records/shares: viewer
        POST c/:container/:environment/ck/:scope/changes/records: viewer
        POST c/:container/:environment/ck/:scope/changes/zone: viewer
        POST c/:container/:environment/ck/:scope/changes/database: viewer
        POST c/:container/:environment/ck/:scope/zones/list: viewer
        POST c/:container/:environment/ck/:scope/zones/lookup: viewer
        POST c/:container/:environment/ck/:scope/zones/modify: developer
        POST c/:container/:environment/ck/:scope/zones/changes: viewer
        POST c/:container/:environment/ck/:scope/subscriptions/list: viewer
        POST c/:container/:environment/ck/:scope/subscriptions/lookup: viewer
        POST c/:container/:environment/ck/:scope/subscriptions/modify: developer
        POST c/:container/:environment/ck/:scope/users/caller: viewer
        POST c/:container/:environment/ck/:scope/users/current: viewer
        POST c/:container/:environment/ck/:scope/users/lookup/id: viewer
        POST c/:container/:environment/ck/:scope/assets/upload: developer
        POST c/:container/:environment/ck/:scope/assets/rereference: developer
        """

    private enum Need: String {
        case anybody, signedIn, viewer, developer, admin, owner
    }

    private struct Row {
        let method: String
        let path: String
        let needs: [Need]

        init(_ line: Substring) throws {
            let parts = line.split(separator: ": ")
            let names = parts[0].split(separator: " ")
            method = String(names[0])
            path = String(names[1])
            needs = try parts[1].split(separator: " ").map { try #require(Need(rawValue: String($0))) }
        }

        var key: String { "\(method) \(path)" }

        /// The addresses to try, with what each needs.
        var requests: [(path: String, need: Need)] {
            let filled = path.replacing(":container", with: TestCloud.container)
                .replacing(":scope", with: "public").replacing(":code", with: "none")
            guard filled.contains(":environment") else { return [(filled, needs[0])] }
            return CloudEnvironment.allCases.map {
                (
                    filled.replacing(":environment", with: $0.rawValue),
                    $0 == .development ? needs[0] : needs[needs.count - 1]
                )
            }
        }
    }

    private enum Person: String, CaseIterable {
        case nobody, stranger, viewer, developer, admin, owner

        /// What comes of it; nil lets them in.
        func refusal(_ need: Need) -> (status: Int, error: String)? {
            let order: [Person] = [.viewer, .developer, .admin, .owner]
            switch (self, need) {
            case (_, .anybody): return nil
            case (.nobody, _): return (401, "AUTHENTICATION_REQUIRED")
            case (_, .signedIn): return nil
            case (.owner, .owner): return nil
            case (_, .owner): return (403, "ACCESS_DENIED")
            case (.stranger, _): return (404, "NOT_FOUND")
            default:
                let rank = order.firstIndex(of: self) ?? 0
                let needed = order.firstIndex { $0.rawValue == need.rawValue } ?? 0
                return rank >= needed ? nil : (403, "ACCESS_DENIED")
            }
        }
    }

    @Test("Threats 13 and 14: every route lets in whom the table says, and nobody else")
    func everyRouteLetsInWhomTheTableSays() async throws {
        let rows = try Self.table.split(separator: "\n").map(Row.init)
        #expect(Set(rows.map(\.key)) == Set(ConsoleRoutes.all.map { "\($0.method) \($0.path)" }))
        let place = try await ConsolePlace()
        let other = try #require(ContainerIdentifier(ConsolePlace.otherContainer))
        try await place.cloud.service.createContainer(other)
        let browsers: [Person: ConsolePlace.Browser] = [
            .nobody: place.nobody, .stranger: try await place.developer("admin", in: ConsolePlace.otherContainer),
            .viewer: try await place.developer("viewer"), .developer: try await place.developer("developer"),
            .admin: try await place.developer("admin"), .owner: place.owner,
        ]
        for row in rows where row.path != "sign-out" {
            for (path, need) in row.requests {
                for person in Person.allCases {
                    let browser = try #require(browsers[person])
                    // A log that is followed does not end.
                    let target = path.hasSuffix("/log") ? path + "?follow=0" : path
                    let answer = try await browser.send(row.method, target, row.method == "GET" ? nil : [:])
                    let what = "\(person) \(row.method) \(path): \(answer.status) \(answer.body.prefix(300))"
                    if let refusal = person.refusal(need) {
                        #expect(answer.status == refusal.status && answer.error == refusal.error, "\(what)")
                        if refusal.status == 404 {
                            let reason = answer.json["reason"] as? String
                            #expect(reason == "container '\(TestCloud.container)' does not exist", "\(what)")
                        }
                    } else {
                        let reason = answer.json["reason"] as? String ?? ""
                        #expect(![401, 403, 405, 500].contains(answer.status), "\(what)")
                        #expect(!reason.hasPrefix("container '"), "\(what)")
                    }
                }
            }
        }
        for person in Person.allCases where person != .nobody {
            #expect(try await browsers[person]?.send("POST", "sign-out", [:]).status == 200)
            #expect(try await browsers[person]?.get("containers").status == 401)
        }
        await place.stop()
    }

    @Test func aContainerThatIsNotThereIsAnsweredLikeAForeignOne() async throws {
        let place = try await ConsolePlace()
        let viewer = try await place.developer("viewer")
        let foreign = try #require(ContainerIdentifier(ConsolePlace.otherContainer))
        try await place.cloud.service.createContainer(foreign)
        for path in ["team", "development/schema", "production/tokens"] {
            let known = try await viewer.get("c/\(ConsolePlace.otherContainer)/\(path)")
            let unknown = try await viewer.get("c/iCloud.org.example.nowhere/\(path)")
            #expect(known.status == 404 && unknown.status == 404)
            #expect(
                known.body == unknown.body.replacing("iCloud.org.example.nowhere", with: ConsolePlace.otherContainer))
        }
        await place.stop()
    }

    @Test("Threat 72: only pages of this server change anything")
    func onlyPagesOfThisServerChangeAnything() async throws {
        let place = try await ConsolePlace()
        let own = ConsolePlace.Browser.ownHeader
        let port = place.cloud.client.port
        let attacks: [[(String, String)]] = [
            [], [("X-Stratus-Console", "0")], [own, ("Origin", "https://evil.example")],
            [own, ("Sec-Fetch-Site", "cross-site")], [own, ("Sec-Fetch-Site", "same-site")],
            [("Content-Type", "text/plain"), ("Origin", "http://127.0.0.1:\(port)")],
        ]
        for route in ConsoleRoutes.all where route.method != "GET" {
            let path = route.path.replacing(":container", with: TestCloud.container)
                .replacing(":environment", with: "development")
            for headers in attacks {
                let answer = try await place.owner.send(route.method, path, [:], headers: headers)
                #expect(answer.status == 403, "\(route.method) \(path) \(headers)")
            }
        }
        let body = ["id": "iCloud.org.example.mine"]
        let good = try await place.owner.send(
            "POST", "containers", body, headers: [own, ("Origin", "http://127.0.0.1:\(port)")])
        #expect(good.status == 200)
        #expect(good["Access-Control-Allow-Origin"] == nil)
        await place.stop()
    }

    @Test func methodsAndPathsThatAreNotThere() async throws {
        let place = try await ConsolePlace()
        let wrong = try await place.owner.send("DELETE", "containers", [:])
        #expect(wrong.status == 405 && wrong["Allow"] == "GET, POST")
        for path in [
            "", "nothing", "c", "c/\(TestCloud.container)/staging/schema", "c/x/development/ck/public/tokens/create",
        ] {
            #expect(try await place.owner.get(path).status == 404, "\(path)")
        }
        #expect(try await place.owner.get("c/nothing/team").status == 400)
        await place.stop()
    }
}
