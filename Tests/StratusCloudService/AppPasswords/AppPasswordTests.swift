import StratusCloudCrypto
import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// Passwords of programs: what they open, and what ends them.
@Suite struct AppPasswordTests {
    private static let ada = "ada@example.org"
    private static let password = "correct horse"
    private static let source = "192.0.2.1"

    private let cloud: TestCloud
    private var service: CloudService { cloud.service }

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.service.createAccount(email: Self.ada, password: Self.password)
    }

    private func holder() async throws -> AccountHolder {
        let session = try await service.beginAccountSession(
            email: Self.ada, password: Self.password, source: Self.source)
        return try #require(try await service.accountHolder(session: session))
    }

    /// - Returns: nil if it opens the account.
    private func refusal(
        _ appPassword: String, email: String = ada, from source: String = source
    ) async -> CloudError? {
        do throws(CloudError) {
            _ = try await service.authenticate(email: email, appPassword: appPassword, source: source)
            return nil
        } catch { return error }
    }

    private func failure(_ body: () async throws(CloudError) -> Void) async -> CloudError? {
        do throws(CloudError) {
            try await body()
            return nil
        } catch { return error }
    }

    @Test func itOpensTheDataOfItsPersonInItsEnvironment() async throws {
        let secret = try await service.createAppPassword(
            named: " Laptop ", in: .development, for: try await holder())
        let holder = try await service.authenticate(
            email: " ADA@example.org", appPassword: secret, source: Self.source)
        #expect(holder.environment == .development && !holder.mayDeleteBackups && holder.email == Self.ada)
        let caller = try await service.caller(for: holder, in: cloud.context.container)
        let signIn = try await service.createSession(email: Self.ada, context: cloud.context)
        #expect(caller.principal == .user(signIn.userRecordName) && caller.context == cloud.context)
        let unknown = try #require(ContainerIdentifier("iCloud.org.example.unknown"))
        let error = await failure { () async throws(CloudError) in
            _ = try await service.caller(for: holder, in: unknown)
        }
        #expect(error?.code == .notFound)
    }

    @Test func itIsLongAndCanBeTypedWithOrWithoutHyphens() async throws {
        let secret = try await service.createAppPassword(named: "Laptop", in: .production, email: Self.ada)
        #expect(secret.count == 34 && secret.allSatisfy { $0 == "-" || $0.isASCII && ($0.isLowercase || $0.isNumber) })
        #expect(await refusal(secret) == nil)
        #expect(await refusal(secret.replacing("-", with: "").uppercased()) == nil)
        #expect(await refusal(secret.replacing("-", with: " ")) == nil)
        #expect(await refusal(String(secret.dropLast()))?.code == .authenticationFailed)
    }

    /// Threat: somebody reads the store, and looks for passwords in it.
    @Test func onlyAKeyedHashIsStored() async throws {
        let secret = try await service.createAppPassword(named: "Laptop", in: .production, email: Self.ada)
        let rows = try await service.store.read(.directory) {
            try $0.entries(in: KeyRange(lower: Key([]), upper: Key([0xFF])), limit: .max)
        }
        let characters = try #require(AppPasswordSecret.characters(of: secret))
        for row in rows {
            for part in [Array(secret.utf8), characters, SHA256.hash(characters), SHA256.hash(secret)] {
                #expect(!row.value.contains(part) && !row.key.bytes.contains(part))
            }
        }
        #expect(service.appPasswordHash(secret, "1") != service.appPasswordHash(secret, "2"))
    }

    @Test func namesAreUniqueAndHaveBounds() async throws {
        let limit = ServiceLimits.appPasswordNameLength
        for name in ["", "  ", "a\u{7}", String(repeating: "a", count: limit + 1)] {
            let error = await failure { () async throws(CloudError) in
                _ = try await service.createAppPassword(named: name, in: .production, email: Self.ada)
            }
            #expect(error?.code == .badRequest, "\(name)")
        }
        let longest = String(repeating: "a", count: limit)
        _ = try await service.createAppPassword(named: longest, in: .production, email: Self.ada)
        let taken = await failure { () async throws(CloudError) in
            _ = try await service.createAppPassword(named: longest, in: .development, email: Self.ada)
        }
        #expect(taken?.code == .badRequest && taken?.reason.contains("already") == true)
        #expect(try await service.listAppPasswords(email: Self.ada).map(\.name) == [longest])
    }

    @Test func anAccountHasABoundedNumber() async throws {
        for number in 0..<ServiceLimits.appPasswordsPerAccount {
            _ = try await service.createAppPassword(named: "\(number)", in: .production, email: Self.ada)
        }
        let error = await failure { () async throws(CloudError) in
            _ = try await service.createAppPassword(named: "more", in: .production, email: Self.ada)
        }
        #expect(error?.code == .badRequest)
        try await service.deleteAppPassword(named: "7", email: Self.ada)
        _ = try await service.createAppPassword(named: "more", in: .production, email: Self.ada)
    }

    @Test func itsLastUseIsNotedToTheHour() async throws {
        let secret = try await service.createAppPassword(named: "Laptop", in: .production, email: Self.ada)
        func lastUsed() async throws -> Int64? { try await service.listAppPasswords(email: Self.ada).first?.lastUsed }
        #expect(try await lastUsed() == nil)
        #expect(await refusal(secret) == nil)
        let first = service.now
        #expect(try await lastUsed() == first)
        cloud.clock.withLock { $0 += ServiceLimits.sessionUsePause - 1 }
        #expect(await refusal(secret) == nil)
        #expect(try await lastUsed() == first)
        cloud.clock.withLock { $0 += 1 }
        #expect(await refusal(secret) == nil)
        #expect(try await lastUsed() == first + ServiceLimits.sessionUsePause)
    }

    @Test func itEndsWhenItIsDeletedAndWithThePassword() async throws {
        // The clock stands, so each was checked a moment ago when it ends.
        func made(_ name: String) async throws -> String {
            let secret = try await service.createAppPassword(named: name, in: .production, email: Self.ada)
            #expect(await refusal(secret) == nil)
            return secret
        }
        let deleted = try await made("deleted")
        try await service.deleteAppPassword(named: "deleted", of: try await holder())
        #expect(await refusal(deleted)?.code == .authenticationFailed)
        let again = await failure { () async throws(CloudError) in
            try await service.deleteAppPassword(named: "deleted", email: Self.ada)
        }
        #expect(again?.code == .notFound)
        let reset = try await made("reset")
        try await service.setPassword(email: Self.ada, password: "battery staple")
        #expect(await refusal(reset)?.code == .authenticationFailed)
        try await service.setPassword(email: Self.ada, password: Self.password)
        let everywhere = try await made("everywhere")
        try await service.endAllSessions(of: try await holder())
        #expect(await refusal(everywhere)?.code == .authenticationFailed)
        #expect(try await service.listAppPasswords(email: Self.ada).isEmpty)
        let erased = try await made("erased")
        _ = try await service.eraseAccount(email: Self.ada, deletingPublicRecords: false)
        #expect(await refusal(erased)?.code == .authenticationFailed)
        try await service.createAccount(email: Self.ada, password: Self.password)
        #expect(await refusal(erased)?.code == .authenticationFailed)
    }

    @Test func whatWasCheckedAMomentAgoIsNotReadAgain() async throws {
        let meter = AccessMeter()
        let cloud = try await TestCloud(store: ObservedStore(MemoryStore(), by: meter))
        try await cloud.service.createAccount(email: Self.ada, password: Self.password)
        let secret = try await cloud.service.createAppPassword(named: "Laptop", in: .development, email: Self.ada)
        func signIn(_ secret: String) async throws -> Caller {
            let holder = try await cloud.service.authenticate(
                email: Self.ada, appPassword: secret, source: Self.source)
            return try await cloud.service.caller(for: holder, in: cloud.context.container)
        }
        let first = try await signIn(secret)
        let again = try await meter.counting {
            let caller = try await signIn(secret.uppercased())
            #expect(caller.principal == first.principal)
        }
        #expect(again == AccessMeter.Counts())
        let wrong = await meter.counting {
            let caller = try? await signIn(String(secret.reversed()))
            #expect(caller == nil)
        }
        #expect(wrong.read > 0)
        cloud.clock.withLock { $0 += ServiceLimits.proofLifetime }
        let later = try await meter.counting { _ = try await signIn(secret) }
        #expect(later.read > 0)
    }

    /// Threat: a stolen session makes an app password while its owner changes the password.
    @Test func aSessionThatHasEndedMakesNone() async throws {
        let stolen = try await holder()
        try await service.setPassword(email: Self.ada, password: "battery staple")
        let error = await failure { () async throws(CloudError) in
            _ = try await service.createAppPassword(named: "mine", in: .production, for: stolen)
        }
        #expect(error?.code == .authenticationFailed)
    }

    /// Threat: an app password of one's own opens somebody else's account, or its password is an app password.
    @Test func itIsOfOneAccountAndNoPassword() async throws {
        try await service.createAccount(email: "eve@example.org", password: Self.password)
        let eves = try await service.createAppPassword(named: "Laptop", in: .production, email: "eve@example.org")
        #expect(await refusal(eves)?.code == .authenticationFailed)
        #expect(await refusal(eves, email: "nobody@example.org")?.code == .authenticationFailed)
        #expect(await refusal(Self.password)?.code == .authenticationFailed)
        let signIn = await failure { () async throws(CloudError) in
            _ = try await service.beginAccountSession(email: "eve@example.org", password: eves, source: Self.source)
        }
        #expect(signIn?.code == .authenticationFailed)
    }

    /// Threat: guessing. And: a program that repeats a revoked app password keeps nobody out.
    @Test func wrongOnesAreCountedAndRightOnesAlwaysPass() async throws {
        let right = try await service.createAppPassword(named: "Laptop", in: .production, email: Self.ada)
        let wrong = right.replacing("-", with: "").reversed().map(String.init).joined()
        for _ in 0..<ServiceLimits.failedSignIns {
            #expect(await refusal(wrong)?.code == .authenticationFailed)
        }
        let throttled = await refusal(wrong, from: "203.0.113.5")
        #expect(throttled?.code == .throttled && throttled?.retryAfter != nil)
        #expect(await refusal(right) == nil)
        _ = try await holder()
        cloud.clock.withLock { $0 += ServiceLimits.failedSignInWindow }
        #expect(await refusal(wrong)?.code == .authenticationFailed)
    }

    @Test func addressesThatGuessAtManyAccountsAreCounted() async throws {
        let secret = AppPasswordSecret.make(.system)
        for number in 0..<ServiceLimits.failedSignInsPerAddress {
            #expect(await refusal(secret, email: "victim\(number)@example.org")?.code == .authenticationFailed)
        }
        #expect(await refusal(secret, email: "another@example.org")?.code == .throttled)
        #expect(await refusal(secret, email: "another@example.org", from: "203.0.113.5")?.code == .authenticationFailed)
    }
}
