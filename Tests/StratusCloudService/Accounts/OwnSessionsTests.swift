import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Where a person is signed in, as they see it.
@Suite struct OwnSessionsTests {
    private static let ada = "ada@example.org"
    private static let password = "correct horse"
    private static let agent = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"

    private let cloud: TestCloud
    private var service: CloudService { cloud.service }

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.service.createAccount(email: Self.ada, password: Self.password)
    }

    private func holder() async throws -> AccountHolder {
        let session = try await service.beginAccountSession(
            email: Self.ada, password: Self.password, source: nil, agent: Self.agent)
        return try #require(try await service.accountHolder(session: session))
    }

    private func app(_ agent: String?) async throws -> String {
        try await service.signIn(
            email: Self.ada, password: Self.password, staySignedIn: true, context: cloud.context, source: nil,
            agent: agent
        ).webAuthToken
    }

    private func user(_ token: String) async throws -> String? {
        let apiToken = try await service.createAPIToken(for: cloud.context, name: "t")
        let credentials = Credentials(ClientTokens(apiToken: apiToken, webAuthToken: token))
        return try await service.authenticate(credentials, for: cloud.context).caller.userRecordName
    }

    @Test func eachIsListedWithItsProgramAndItsTimes() async throws {
        let start = cloud.clock.withLock { $0 }
        let token = try await app("program/1\n\u{7F}")
        cloud.clock.withLock { $0 += 1_000 }
        let holder = try await holder()
        #expect(
            try await service.accountOverview(for: holder).sessions.map { [$0.agent, $0.context.map { "\($0)" }] }
                == [[Self.agent, nil], ["program/1", "\(cloud.context)"]])
        cloud.clock.withLock { $0 += ServiceLimits.sessionUsePause - 1_001 }
        _ = try await user(token)
        cloud.clock.withLock { $0 += 1 }
        let before = try await service.accountOverview(for: self.holder()).sessions.first { $0.agent == "program/1" }
        #expect(before?.since == start && before?.lastUsed == start)
        cloud.clock.withLock { $0 += ServiceLimits.proofLifetime }
        _ = try await user(token)
        let after = try await service.accountOverview(for: self.holder()).sessions.first { $0.agent == "program/1" }
        #expect(after?.since == start && after?.lastUsed == cloud.clock.withLock { $0 })
    }

    @Test func oneEndsAndTheOthersGoOn() async throws {
        let (old, other) = (try await app("old"), try await app("other"))
        let holder = try await holder()
        let page = try await self.holder()
        let sessions = try await service.accountOverview(for: holder).sessions
        #expect(sessions.count == 4 && sessions.count { $0.isCurrent } == 1)
        let id = try #require(sessions.first { $0.agent == "old" }?.id)
        try await service.endSession(id, of: holder)
        #expect(try await user(old) == nil)
        #expect(try await user(other) != nil)
        #expect(try await service.accountOverview(for: holder).sessions.count == 3)
        let its = try #require(sessions.first { $0.context == nil && !$0.isCurrent }?.id)
        try await service.endSession(its, of: holder)
        #expect(try await service.accountHolder(session: page.session.text) == nil)
        for bad in [id, its, "", "zz", String(repeating: "0", count: 64), String(repeating: "0", count: 1_000)] {
            let error = await #expect(throws: CloudError.self) { try await service.endSession(bad, of: holder) }
            #expect(error?.code == .notFound)
        }
    }

    /// Threat: somebody ends the sessions of others.
    @Test func nobodyEndsTheSessionsOfOthers() async throws {
        let token = try await app("ada's")
        let id = try #require(try await service.accountOverview(for: holder()).sessions.first { $0.context != nil }?.id)
        try await service.createAccount(email: "eve@example.org", password: Self.password)
        let session = try await service.beginAccountSession(
            email: "eve@example.org", password: Self.password, source: nil)
        let eve = try #require(try await service.accountHolder(session: session))
        let error = await #expect(throws: CloudError.self) { try await service.endSession(id, of: eve) }
        #expect(error?.code == .notFound)
        #expect(try await user(token) != nil)
    }

    @Test func whatIsOverIsNotListedAndNotKept() async throws {
        _ = try await app("first")
        cloud.clock.withLock { $0 += ServiceLimits.longSessionLifetime }
        #expect(try await service.accountOverview(for: holder()).sessions.allSatisfy { $0.agent != "first" })
        _ = try await app("second")
        let id = try await holder().account.id
        let counts = try await cloud.store.read(.directory) { transaction in
            (
                try transaction.entries(in: DirectoryKey.sessions, limit: 10).count,
                try transaction.entries(in: DirectoryKey.sessionUses(of: id), limit: 10).count
            )
        }
        #expect(counts == (1, 1))
    }

    @Test func aSessionFromBeforeUsesWereStoredIsListedOnceItIsUsed() async throws {
        let token = try await app("old")
        let id = try await holder().account.id
        try await service.directory.change { $0.clear(DirectoryKey.sessionUses(of: id)) }
        #expect(try await service.accountOverview(for: holder()).sessions.allSatisfy { $0.context == nil })
        _ = try await user(token)
        let listed = try #require(try await service.accountOverview(for: holder()).sessions.first { $0.context != nil })
        #expect(listed.agent == nil)
    }

    @Test func namesOfProgramsAreBounded() {
        let long = String(repeating: "é", count: 200)
        #expect(ClientAgent.bounded(long)?.utf8.count == ServiceLimits.agentLength - 1)
        #expect(ClientAgent.bounded("") == nil && ClientAgent.bounded("\n") == nil && ClientAgent.bounded(nil) == nil)
    }

    @Test func deletingTheAccountAsksForThePassword() async throws {
        let token = try await app("program")
        let holder = try await holder()
        let wrong = await #expect(throws: CloudError.self) {
            try await service.eraseAccount(
                password: "guess", deletingPublicRecords: true, of: holder, source: "192.0.2.7")
        }
        #expect(wrong?.code == .authenticationFailed)
        #expect(try await user(token) != nil)
        try await service.eraseAccount(
            password: Self.password, deletingPublicRecords: false, of: holder, source: "192.0.2.7")
        #expect(try await user(token) == nil)
        #expect(try await service.listAccounts() == [])
        let left = try await cloud.store.read(.directory) { transaction in
            try [DirectoryKey.sessionUses(of: holder.account.id), DirectoryKey.passwordResets(of: holder.account.id)]
                .flatMap { try transaction.entries(in: $0, limit: 10) }.count
                + (try transaction.get(DirectoryKey.knownNetworks(of: holder.account.id)) == nil ? 0 : 1)
        }
        #expect(left == 0)
    }
}
