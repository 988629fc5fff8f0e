import Foundation
import StratusCloudModel
import StratusCloudStore
import StratusHTTPTransport
import Testing

@testable import StratusCloudServer

/// What operators see, and nobody else.
@Suite struct OperationsTests {
    @Test func showsMetricsToTheOperatorOnly() async throws {
        let cloud = try await TestCloud(adminPort: true)
        _ = try await cloud.call("POST", "private/zones/list")
        let hidden = try await cloud.client.send("GET", "/metrics", headers: [("Authorization", "Bearer x")])
        #expect(hidden.status == 404)
        #expect(hidden.isWholeError)
        let page = try await #require(cloud.admin).send("GET", "/metrics")
        #expect(page.status == 200)
        #expect(page["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        for line in [
            #"stratus_http_requests_total{listener="public",route="zones/list",status="421"} 1"#,
            #"stratus_http_request_duration_seconds_count{listener="public",route="zones/list"} 1"#,
            #"stratus_connections_open{listener="admin"} 1"#,
        ] {
            #expect(page.body.contains(line), "\(line)")
        }
        for name in [
            "process_resident_memory_bytes", "process_open_fds", "stratus_store_commits", "stratus_store_commit_size",
        ] {
            let line = page.body.split(separator: "\n").first { $0.hasPrefix(name) }
            let value = line.flatMap { $0.split(separator: " ").last }.flatMap { Double($0) }
            #expect((value ?? 0) > 0, "\(name)")
        }
        #expect(!page.body.contains(TestCloud.container))
        #expect(!page.body.contains(cloud.apiToken))
        await cloud.stop()
    }

    @Test func opensTheMetricsPageToTheTokenOnly() async throws {
        let cloud = try await TestCloud(configure: { $0.adminToken = "s3cret" })
        for (authorization, status) in [
            ("Bearer s3cret", 200), ("bearer s3cret", 200), ("Bearer s3cret ", 200), ("Bearer S3cret", 404),
            ("Bearer ", 404), ("s3cret", 404), ("Basic s3cret", 404),
        ] {
            let response = try await cloud.client.send("GET", "/metrics", headers: [("Authorization", authorization)])
            #expect(response.status == status, "\(authorization)")
        }
        #expect(try await cloud.client.send("GET", "/metrics").status == 404)
        await cloud.stop()
    }

    @Test func offersNothingElseToTheOperator() async throws {
        let cloud = try await TestCloud(adminPort: true)
        let admin = try #require(cloud.admin)
        for path in ["/", "/sign-in", TestCloud.path("private/zones/list") + "?ckAPIToken=\(cloud.apiToken)"] {
            #expect(try await admin.send("GET", path).status == 404)
        }
        await cloud.stop()
    }

    @Test func isReadyWhileItServes() async throws {
        let store = MemoryStore()
        let cloud = try await TestCloud(store: store, adminPort: true)
        for client in [cloud.client, try #require(cloud.admin)] {
            #expect(try await client.send("GET", "/health/live").status == 200)
            #expect(try await client.send("GET", "/health/ready").body == "ready")
        }
        await store.close()
        let failed = try await cloud.client.send("GET", "/health/ready")
        #expect(failed.status == 503)
        #expect(failed.body == "store failed")
        #expect(failed["Retry-After"] != nil)
        #expect(try await cloud.client.send("GET", "/health/live").status == 200)
        await cloud.stop()
    }

    @Test func isNotReadyBeforeAndAfter() async throws {
        let readiness = Readiness(store: MemoryStore())
        #expect(await readiness.answer() == .starting)
        readiness.enter(.serving)
        #expect(await readiness.answer() == .ready)
        readiness.enter(.stopping)
        #expect(await readiness.answer() == .stopping)
    }

    @Test func closesTheStoreWhenItStops() async throws {
        let cloud = try await TestCloud(host: "127.0.0.2")
        #expect(try await cloud.client.send("GET", "/health/live").status == 200)
        await cloud.stop()
        await #expect(throws: StoreError.self) { try await cloud.store.read(Partition("directory")) { _ in true } }
        await #expect(throws: RawClient.Failure.self) { try await cloud.client.send("GET", "/") }
    }

    @Test func listensForNobodyIfItCannotListenForClients() async throws {
        let cloud = try await TestCloud()
        let second = CloudServer(
            configuration: CloudServerConfiguration(
                listener: HTTPServerConfiguration(address: .network(host: "127.0.0.1", port: cloud.client.port)),
                adminAddress: .network(host: "127.0.0.3", port: 0)),
            service: cloud.service, store: MemoryStore(), logger: .init(writer: cloud.log.writer),
            metrics: .init())
        await #expect(throws: HTTPServerError.self) { try await second.start() }
        let admin = RawClient(port: try #require(second.adminPort), host: "127.0.0.3")
        await #expect(throws: RawClient.Failure.self) { try await admin.send("GET", "/health/live") }
        await cloud.stop()
    }

    @Test func logsNoSecrets() async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        _ = try await cloud.call("GET", "public/users/caller", token: token)
        let state = try await cloud.signInState()
        for (method, path) in [("GET", "/sign-in"), ("PUT", "/sign-in"), ("GET", "/nothing")] {
            _ = try await cloud.client.send(method, "\(path)?state=\(state)&ckSession=\(token)")
        }
        _ = try await cloud.client.send(
            "POST", "/sign-in", body: "state=\(state)&email=ada%40example.org&password=hunter2hunter2")
        _ = try await cloud.client.send(
            "GET", TestCloud.path("public/users/caller") + "?ckSession=\(token)&ckAPIToken=\(cloud.apiToken)")
        await cloud.stop()
        let log = await cloud.log.text()
        #expect(log.contains(#""route":"users/caller""#))
        #expect(log.contains(#""route":"sign-in""#))
        for secret in [token, cloud.apiToken, state, "hunter2", "ada@", "ada%40"] { #expect(!log.contains(secret)) }
        for line in log.split(separator: "\n") {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
    }

    @Test func logsRequestsOnlyWhenAsked() async throws {
        let quiet = try await TestCloud(logLevel: .info)
        let refused = try await quiet.call("POST", "private/zones/list")
        let answered = try await quiet.call("POST", "public/zones/list")
        await quiet.stop()
        let log = await quiet.log.text()
        #expect(log.contains(refused["X-Apple-Request-UUID"] ?? "-"), "what the client was refused can be found")
        #expect(!log.contains(answered["X-Apple-Request-UUID"] ?? ""))
        let asked = try await TestCloud(configure: { $0.logsRequests = true }, logLevel: .info)
        let response = try await asked.call("POST", "private/zones/list")
        await asked.stop()
        #expect(await asked.log.text().contains(response["X-Apple-Request-UUID"] ?? "-"))
    }

    @Test func believesOnlyTrustedProxies() {
        func head(_ headers: [(String, String)], from address: String = "127.0.0.1") -> HTTPRequestHead {
            HTTPRequestHead(method: "GET", target: "/", headers: HTTPHeaders(headers), remoteAddress: address)
        }
        let forwarded = [
            ("Host", "cloud.example"), ("X-Forwarded-For", "1.1.1.1, 2.2.2.2"), ("X-Forwarded-Proto", "https"),
        ]
        let trusting = PublicAddress(trustedProxies: ["127.0.0.1"])
        #expect(trusting.client(of: head(forwarded)) == "2.2.2.2")
        #expect(trusting.base(for: head(forwarded)) == "https://cloud.example")
        #expect(trusting.client(of: head(forwarded, from: "9.9.9.9")) == "9.9.9.9")
        #expect(trusting.base(for: head(forwarded, from: "9.9.9.9")) == "http://cloud.example")
        #expect(PublicAddress().client(of: head(forwarded)) == "127.0.0.1")
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::9", "2001:db8:1:2::/64"),
        ("::1", "0:0:0:0::/64"), ("fe80::1", "fe80:0:0:0::/64"), ("::ffff:10.1.2.3", "10.1.2.3"), ("unix", "unix"),
        // What a proxy says instead of an address counts as it is.
        ("[2001:db8::1]", "[2001:db8::1]"), ("2001:db8::1%eth0", "2001:db8::1%eth0"), ("10.1.2.3:80", "10.1.2.3:80"),
        (":", ":"),
    ])
    func countsClientsByTheirNetworks(address: String, network: String) {
        let head = HTTPRequestHead(method: "GET", target: "/", headers: HTTPHeaders(), remoteAddress: address)
        #expect(PublicAddress().network(of: head) == network)
        #expect(PublicAddress().client(of: head) == address)
        let forwarded = HTTPRequestHead(
            method: "GET", target: "/", headers: HTTPHeaders([("X-Forwarded-For", "1.1.1.1, \(address)")]),
            remoteAddress: "127.0.0.1")
        #expect(PublicAddress(trustedProxies: ["127.0.0.1"]).network(of: forwarded) == network)
    }

    @Test(arguments: ["cloud.example", "cloud.example:8443", "10.0.0.1:80", "[::1]", "[fe80::1]:443", "my_host"])
    func knowsHosts(host: String) { #expect(PublicAddress.isHost(host)) }

    @Test(arguments: [
        "", "a b", "a/b", "a:", "a:123456", "a:8x", "[::1", "[]", "a@b", "a?b", "a#b", "[::1]x", "a\"b", ":80",
        String(repeating: "a", count: 256),
    ])
    func knowsWhatIsNoHost(host: String) { #expect(!PublicAddress.isHost(host)) }
}
