import Foundation
import StratusCloudModel
import StratusCloudService
import StratusHTTPTransport
import StratusWaiting
import Testing

@testable import StratusCloudServer

/// Threat: what was opened with a session goes on after its person has signed out.
@Suite struct SignOutTests {
    private static let form = ("Content-Type", "application/x-www-form-urlencoded")

    /// The addresses that a device of a session gets for its notifications, without scheme and host.
    private func device(_ cloud: TestCloud, _ token: String) async throws -> (poll: String, stream: String) {
        let body = #"{"apnsEnvironment":"development"}"#
        let made = try await cloud.call("POST", "public/tokens/create", token: token, body: body)
        let addresses = try ["webcourierURL", "eventStreamURL"].map { name in
            let url = try #require(made.json[name] as? String, "\(made.body)")
            return String(url[try #require(url.range(of: "/push/")).lowerBound...])
        }
        return (addresses[0], addresses[1])
    }

    private func signOut(_ cloud: TestCloud, _ token: String) async throws {
        let body = "ckWebAuthToken=\(token)"
        #expect(try await cloud.client.send("POST", "/sign-out", headers: [Self.form], body: body).status == 200)
    }

    private func account(_ cloud: TestCloud) async throws -> AccountHolder {
        let session = try await cloud.service.beginAccountSession(
            email: TestCloud.email, password: TestCloud.password, source: nil)
        return try #require(try await cloud.service.accountHolder(session: session))
    }

    /// Ends a session, in each way that there is.
    private enum End: CaseIterable {
        case signOut, fromAccount, everywhere, password, operatorsPassword
    }

    private func end(_ cloud: TestCloud, _ token: String, _ way: End) async throws {
        switch way {
        case .signOut: try await signOut(cloud, token)
        case .fromAccount:
            let holder = try await account(cloud)
            let sessions = try await cloud.service.accountOverview(for: holder).sessions
            for session in sessions where session.agent == "stratus session create" {
                try await cloud.service.endSession(session.id, of: holder)
            }
        case .everywhere: try await cloud.service.endAllSessions(of: try await account(cloud))
        case .password:
            _ = try await cloud.service.changePassword(
                from: TestCloud.password, to: "battery staple", for: try await account(cloud), source: nil)
        case .operatorsPassword:
            try await cloud.service.setPassword(email: TestCloud.email, password: "battery staple")
        }
    }

    @Test(arguments: End.allCases)
    private func streamsAndPollsEndWithTheirSession(way: End) async throws {
        let cloud = try await TestCloud()
        let token = try await cloud.webAuthToken()
        let (one, other) = (try await device(cloud, token), try await device(cloud, token))
        async let stream = cloud.client.send("GET", one.stream)
        async let poll = cloud.client.send("GET", other.poll)
        try await wait(for: "both listeners") { cloud.service.pushStatistics().listeners == 2 }
        try await end(cloud, token, way)
        #expect(try await stream.body.contains("retry:"))
        #expect(try await poll.body.hasSuffix("null"))
        for address in [one.stream, one.poll, other.stream, other.poll] {
            #expect(try await cloud.client.send("GET", address).status == 404, "\(address)")
        }
        await cloud.stop()
    }

    @Test func anotherSessionOfThePersonGoesOn() async throws {
        let cloud = try await TestCloud()
        let (token, other) = (try await cloud.webAuthToken(), try await cloud.webAuthToken())
        let (gone, stays) = (try await device(cloud, token), try await device(cloud, other))
        async let stream = cloud.client.send("GET", stays.stream)
        try await wait(for: "the listener") { cloud.service.pushStatistics().listeners == 1 }
        try await signOut(cloud, token)
        #expect(try await cloud.client.send("GET", gone.poll).status == 404)
        #expect(cloud.service.pushStatistics().listeners == 1)
        try await signOut(cloud, other)
        #expect(try await stream.status == 200)
        await cloud.stop()
    }

    @Test func anAddressOpensNothingWhenItsSessionHasExpired() async throws {
        let cloud = try await TestCloud()
        let address = try await device(cloud, try await cloud.webAuthToken())
        cloud.advance(minutes: ServiceLimits.longSessionLifetime / 60_000)
        #expect(try await cloud.client.send("GET", address.stream).status == 404)
        await cloud.stop()
    }

    @Test func aLogThatADeveloperFollowsEndsWithTheSignOut() async throws {
        let place = try await ConsolePlace()
        let path = "c/\(TestCloud.container)/development/log"
        async let log = place.owner.get(path)
        try await wait(for: "the stream") { place.cloud.server.consoleStreams > 0 }
        #expect(try await place.owner.send("POST", "sign-out", [:]).status == 200)
        #expect(try await log.status == 200)
        #expect(try await place.owner.get(path).status == 401)
        await place.stop()
    }
}
