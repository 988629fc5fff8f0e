import CloudKit
import StratusHTTPClient
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// One HTTP client serves the process.
@Suite struct SharedClientTests {
    private func client(
        _ identifier: String, url: String = "http://127.0.0.1:1", certificates: String? = nil
    ) throws -> HTTPClient {
        var configuration = StratusConfiguration(url: url, apiToken: "t")
        configuration.certificateAuthorityFile = certificates
        let container = CKContainer(identifier: identifier, configuration: configuration)
        return try #require(container.source.connection.transport as? HTTPCloudTransport).http
    }

    @Test func containersAndServersShareIt() throws {
        let first = try client("iCloud.org.example.one")
        #expect(try client("iCloud.org.example.two") === first)
        #expect(try client("iCloud.org.example.one", url: "http://127.0.0.1:2") === first)
        let other = try client("iCloud.org.example.one", certificates: "/nonexistent.pem")
        #expect(other !== first, "it trusts others")
        #expect(try client("iCloud.org.example.two", certificates: "/nonexistent.pem") === other)
    }

    @Test("requests one after another go over one connection, whichever container they are of")
    func connections() async throws {
        let tenant = try await Tenant.shared("SharedClient")
        let proxy = try Proxy(to: tenant.cloud.server.url)
        for _ in 0..<5 {
            let container = CKContainer(
                identifier: tenant.container,
                configuration: StratusConfiguration(
                    url: proxy.url, apiToken: tenant.apiToken, webAuthToken: tenant.alice.webAuthToken))
            _ = try await container.privateCloudDatabase.allRecordZones()
        }
        #expect(proxy.requests.count >= 10 && proxy.connections == 1)
    }
}
