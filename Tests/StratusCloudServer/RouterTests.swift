import StratusCloudModel
import StratusHTTPTransport
import StratusSeeds
import Testing

@testable import StratusCloudServer

/// What becomes of paths and methods.
@Suite struct RouterTests {
    private static let base = "/database/1/iCloud.org.example.app/development"

    private func call(_ method: String, _ path: String) -> WebServiceCall? {
        guard case .webService(let call) = Router.route(method: method, path: path) else { return nil }
        return call
    }

    private func refusal(_ method: String, _ path: String) -> RouteRefusal? {
        guard case .refused(let refusal) = Router.route(method: method, path: path) else { return nil }
        return refusal
    }

    @Test(arguments: WebServiceOperation.allCases, DatabaseScope.allCases)
    func findsEveryOperationInEveryDatabase(operation: WebServiceOperation, scope: DatabaseScope) throws {
        let found = try #require(call("POST", "\(Self.base)/\(scope.rawValue)/\(operation.rawValue)"))
        #expect(found.operation == operation)
        #expect(found.scope == scope)
        #expect(found.context.container.rawValue == "iCloud.org.example.app")
        #expect(found.context.environment == .development)
    }

    @Test(arguments: [
        ("//zones/list", WebServiceOperation?.some(.listZones), DatabaseScope.private),
        ("//public/users/caller", .caller, .public),
        ("//users/caller", .caller, .public),
        ("/zones/modify", .modifyZones, .private),
        ("///private//records///lookup//", .lookupRecords, .private),
        ("/private/records%2Flookup", WebServiceOperation?.none, .private),
        ("/private/rec%6Frds/lookup", .lookupRecords, .private),
    ])
    func takesThePathsOfClients(path: String, operation: WebServiceOperation?, scope: DatabaseScope) {
        let found = call("POST", Self.base + path)
        #expect(found?.operation == operation)
        if let found { #expect(found.scope == scope) }
    }

    @Test(arguments: WebServiceOperation.allCases)
    func takesGetOnlyWhereTheProtocolDoes(operation: WebServiceOperation) {
        let path = "\(Self.base)/private/\(operation.rawValue)"
        #expect(
            (call("GET", path) != nil)
                == [
                    "zones/list", "subscriptions/list", "users/caller", "users/current", "users/discover",
                    "users/lookup/contacts", "records/invitations", "users/fileRoom", "files/published",
                ].contains(operation.rawValue))
        for method in ["PUT", "DELETE", "HEAD", "PATCH", "get", "POST "] {
            #expect(refusal(method, path)?.status == 405)
            #expect(refusal(method, path)?.code == .badRequest)
        }
    }

    @Test(arguments: [
        "/database", "/database/2/iCloud.a/development/private/zones/list", "/database/1", "/device/1/iCloud.a",
        base + "/private/records", base + "/private/records/lookup/more", base + "/private/records/unknown",
        base + "/private/RECORDS/lookup", base + "/records/lookup", "/etc/passwd", "/sign-in/x", "/health",
        "/Database/1/iCloud.a/development/private/zones/list", "private",
    ])
    func knowsNothingElse(path: String) { #expect(refusal("POST", path)?.status == 404) }

    @Test(arguments: [
        "/database/1/org.example/development/private/zones/list", "/database/1/iCloud./development/private/zones/list",
        "/database/1/iCloud.a%2Fb/development/private/zones/list",
        "/database/1/iCloud.a/Development/private/zones/list", "/database/1/iCloud.a/staging/private/zones/list",
        "/database/1/iCloud.a/development/friends/zones/list", "/database/1/iCloud.a/development/private/zones/%zz",
        "/database/1/iCloud.a%/development/private/zones/list", "/database/1/iCloud.a/development/private/%ff/list",
    ])
    func refusesWordsThatCannotBe(path: String) { #expect(refusal("POST", path)?.status == 400) }

    @Test func answersOptionsEverywhere() {
        for path in ["/", "*", "/nothing", "/%zz", Self.base + "/private/records/lookup"] {
            #expect(Router.route(method: "OPTIONS", path: path) == .preflight)
        }
    }

    @Test func knowsItsPages() {
        #expect(Router.route(method: "GET", path: "/") == .home)
        #expect(Router.route(method: "GET", path: "/sign-in") == .signIn)
        #expect(Router.route(method: "POST", path: "/sign-in") == .signIn)
        #expect(Router.route(method: "GET", path: "/health/live") == .liveness)
        #expect(Router.route(method: "HEAD", path: "/health/ready") == .readiness)
        #expect(refusal("POST", "/")?.allow == "GET, HEAD")
        #expect(refusal("PUT", "/sign-in")?.status == 405)
    }

    @Test func neverStopsOnAnyPath() {
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        let pieces = [
            "/", "//", "database", "1", "iCloud.a", "development", "private", "zones", "list", "%", "%2F", "é", "?",
            " ",
        ]
        for _ in 0..<20_000 {
            let path = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
            let route = Router.route(method: "POST", path: path)
            if case .webService = route { #expect(path.contains("zones"), "seed \(seed)") }
            if case .refused(let refusal) = route {
                #expect([400, 404, 405].contains(refusal.status), "seed \(seed)")
            }
        }
    }

    @Test func whatATargetMeansIsForgottenWithIt() throws {
        weak var target: HTTPTarget?
        weak var meaning: TargetMeaning?
        do {
            let head = HTTPRequestHead(method: "POST", target: "\(Self.base)/public/records/modify?ckAPIToken=a")
            target = head.requestTarget
            meaning = TargetMeaning.of(head)
            #expect(target != nil && meaning != nil && TargetMeaning.of(head) === meaning)
        }
        #expect(target == nil && meaning == nil)
    }
}
