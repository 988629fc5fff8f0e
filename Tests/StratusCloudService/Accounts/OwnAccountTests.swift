import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// What people do with their own accounts.
@Suite struct OwnAccountTests {
    private static let ada = "ada@example.org"
    private static let password = "correct horse"

    private let cloud: TestCloud
    private var service: CloudService { cloud.service }

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.service.createAccount(
            email: Self.ada, password: Self.password, profile: ProfileChange(givenName: "Ada", phone: "+442079460000"))
    }

    private func session() async throws -> String {
        try await service.beginAccountSession(email: Self.ada, password: Self.password, source: "192.0.2.1")
    }

    private func holder(_ session: String) async throws -> AccountHolder? {
        try await service.accountHolder(session: session)
    }

    private func holder() async throws -> AccountHolder { try #require(try await holder(try await session())) }

    private func refusal(_ body: () async throws(CloudError) -> Void) async -> CloudError.Code? {
        do throws(CloudError) {
            try await body()
            return nil
        } catch { return error.code }
    }

    @Test func aSessionIsForHalfAnHourAndOfItsPersonOnly() async throws {
        let session = try await session()
        #expect(try await holder(session)?.email == Self.ada)
        cloud.clock.withLock { $0 += ServiceLimits.accountSessionLifetime - 1 }
        #expect(try await holder(session) != nil)
        cloud.clock.withLock { $0 += 1 }
        #expect(try await holder(session) == nil)
    }

    @Test func onlyWhatWasGivenOutIsASession() async throws {
        let session = try await session()
        for index in session.indices {
            var changed = session
            changed.replaceSubrange(index...index, with: session[index] == "0" ? "1" : "0")
            #expect(try await holder(changed) == nil)
        }
        for text in ["", "0", session + "00", session.uppercased(), String(session.dropLast(2))] {
            let found = try await holder(text)
            #expect(found == nil || text == session.uppercased(), "\(text)")
        }
        // An app's session is none here, and this one is none there.
        let app = try await service.createSession(email: Self.ada, context: cloud.context)
        #expect(try await holder(app.webAuthToken) == nil)
    }

    @Test func aWrongPasswordSaysNothingAndIsCounted() async throws {
        for _ in 0..<ServiceLimits.failedSignIns {
            let code = await refusal { () throws(CloudError) in
                _ = try await service.beginAccountSession(email: Self.ada, password: "wrong", source: nil)
            }
            #expect(code == .authenticationFailed)
        }
        // The page for apps and this one count together.
        #expect(
            await refusal { () throws(CloudError) in
                _ = try await service.signIn(
                    email: Self.ada, password: Self.password, staySignedIn: false, context: cloud.context, source: nil)
            } == .throttled)
    }

    @Test func theOverviewHasTheAppsThatWereSignedInToAndNoOthers() async throws {
        let holder = try await holder()
        #expect(try await service.accountOverview(for: holder).apps == [])
        let other = CloudContext(
            container: try #require(ContainerIdentifier("iCloud.org.example.a")), environment: .production)
        try await service.createContainer(other.container)
        try await service.createContainer(try #require(ContainerIdentifier("iCloud.org.example.unused")))
        for context in [cloud.context, other] {
            _ = try await service.createSession(email: Self.ada, context: context)
        }
        try await service.setDiscoverable(true, in: other, for: holder)
        let overview = try await service.accountOverview(for: holder)
        #expect(overview.email == Self.ada && overview.givenName == "Ada" && overview.familyName == nil)
        #expect(
            overview.apps == [
                .init(context: other, isDiscoverable: true), .init(context: cloud.context, isDiscoverable: false),
            ])
    }

    @Test func aPersonIsFoundWhereTheySayAndNowhereElse() async throws {
        let holder = try await holder()
        try await service.createAccount(email: "grace@example.org", password: Self.password)
        let grace = Caller(
            context: cloud.context,
            principal: .user(try await service.userRecordName(email: "grace@example.org", in: cloud.context)))
        #expect(
            await refusal { () throws(CloudError) in
                try await service.setDiscoverable(true, in: cloud.context, for: holder)
            } == .notFound, "never signed in there")
        _ = try await service.createSession(email: Self.ada, context: cloud.context)
        for isDiscoverable in [true, false] {
            try await service.setDiscoverable(isDiscoverable, in: cloud.context, for: holder)
            let found = try await service.discoverUsers([.emailAddress(Self.ada)], as: grace)
            #expect(found.count == (isDiscoverable ? 1 : 0))
        }
    }

    @Test func aNewPasswordEndsEverythingButTheBrowserThatAsked() async throws {
        let (old, other) = (try await session(), try await session())
        let app = try await service.createSession(email: Self.ada, context: cloud.context)
        let holder = try #require(try await holder(old))
        let new = try await service.changePassword(
            from: Self.password, to: "battery staple", for: holder, source: nil)
        #expect(new != old)
        #expect(try await self.holder(new)?.email == Self.ada)
        for void in [old, other] { #expect(try await self.holder(void) == nil) }
        let token = try await service.createAPIToken(for: cloud.context, name: "t")
        let caller = try await service.authenticate(
            Credentials(ClientTokens(apiToken: token, webAuthToken: app.webAuthToken)), for: cloud.context
        ).caller
        #expect(caller.userRecordName == nil)
        #expect(
            await refusal { () throws(CloudError) in
                _ = try await service.beginAccountSession(email: Self.ada, password: Self.password, source: nil)
            } == .authenticationFailed)
        _ = try await service.beginAccountSession(email: Self.ada, password: "battery staple", source: nil)
    }

    @Test func aPasswordOutsideTheLimitsOrTheSameChangesNothing() async throws {
        let session = try await session()
        let holder = try #require(try await holder(session))
        let longest = String(repeating: "x", count: ServiceLimits.passwordMaximum)
        for bad in [String(repeating: "x", count: ServiceLimits.passwordMinimum - 1), longest + "x", Self.password] {
            #expect(
                await refusal { () throws(CloudError) in
                    _ = try await service.changePassword(from: Self.password, to: bad, for: holder, source: nil)
                } == .badRequest)
        }
        #expect(try await self.holder(session) != nil)
        _ = try await service.changePassword(from: Self.password, to: longest, for: holder, source: nil)
        // What was read before the change decides nothing any more.
        #expect(
            await refusal { () throws(CloudError) in try await service.endAllSessions(of: holder) }
                == .authenticationFailed)
    }

    /// Threat: whoever finds a browser signed in guesses the password through the form that changes it.
    @Test func guessesOfTheCurrentPasswordAreCounted() async throws {
        let holder = try await holder()
        func change(_ current: String) async -> CloudError.Code? {
            await refusal { () throws(CloudError) in
                _ = try await service.changePassword(
                    from: current, to: "battery staple", for: holder, source: "192.0.2.9")
            }
        }
        for number in 0..<ServiceLimits.failedSignIns {
            #expect(await change("guess \(number)") == .authenticationFailed)
        }
        #expect(await change(Self.password) == .throttled)
        cloud.clock.withLock { $0 += ServiceLimits.failedSignInWindow }
        #expect(await change(Self.password) == nil)
    }

    @Test func signingOutEverywhereEndsAppsAndBrowsers() async throws {
        let (here, there) = (try await session(), try await session())
        let app = try await service.createSession(email: Self.ada, context: cloud.context)
        try await service.endAllSessions(of: try #require(try await holder(here)))
        for void in [here, there] { #expect(try await holder(void) == nil) }
        let token = try await service.createAPIToken(for: cloud.context, name: "t")
        let credentials = Credentials(ClientTokens(apiToken: token, webAuthToken: app.webAuthToken))
        #expect(try await service.authenticate(credentials, for: cloud.context).caller.userRecordName == nil)
    }

    @Test func signingOutEndsThisBrowserOnly() async throws {
        let (here, there) = (try await session(), try await session())
        try await service.endAccountSession(of: try #require(try await holder(here)))
        #expect(try await holder(here) == nil)
        #expect(try await holder(there) != nil)
    }

    @Test func theOldestOfTooManyBrowsersIsSignedOut() async throws {
        var sessions: [String] = []
        for _ in 0...ServiceLimits.accountSessions {
            sessions.append(try await session())
            cloud.clock.withLock { $0 += 1 }
        }
        #expect(try await holder(sessions[0]) == nil)
        for live in sessions.dropFirst() { #expect(try await holder(live) != nil) }
        // Those that are over are not kept.
        cloud.clock.withLock { $0 += ServiceLimits.accountSessionLifetime }
        let last = try #require(try await holder(try await session()))
        let stored = try await cloud.store.read(.directory) {
            try $0.entries(in: DirectoryKey.accountSessions(of: last.account.id), limit: 100).count
        }
        #expect(stored == 1)
    }

    @Test func aFormIsGoodForItsSessionOnly() async throws {
        let (one, other) = (try await holder(), try await holder())
        #expect(one.accepts(formToken: one.formToken))
        for foreign in ["", other.formToken, String(one.formToken.dropLast()), one.formToken + "0"] {
            #expect(!one.accepts(formToken: foreign))
        }
    }
}
