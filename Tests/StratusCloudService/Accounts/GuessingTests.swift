import StratusCloudModel
import StratusCloudStore
import Testing

@testable import StratusCloudService

/// Attempts to find out passwords by trying.
@Suite struct GuessingTests {
    private static let ada = "ada@example.org"
    private static let password = "correct horse"
    private static let home = "192.0.2.1"

    private let cloud: TestCloud

    init() async throws {
        cloud = try await TestCloud()
        try await cloud.service.createAccount(email: Self.ada, password: Self.password)
    }

    private func signIn(
        _ email: String = ada, _ password: String = password, from source: String?
    ) async -> CloudError.Code? {
        do throws(CloudError) {
            _ = try await cloud.service.beginAccountSession(email: email, password: password, source: source)
            return nil
        } catch { return error.code }
    }

    /// Threat: who has an account of their own signs in to it again and again, so that guesses at others are forgotten.
    @Test func signingInToAnAccountOfOnesOwnResetsNothingForTheAddress() async throws {
        var guesses = 0
        attack: for number in 0..<2 * ServiceLimits.failedSignInsPerAddress {
            if number % 9 == 0, await signIn(from: "203.0.113.9") == .throttled { break attack }
            switch await signIn("victim\(number)@example.org", "guess", from: "203.0.113.9") {
            case .authenticationFailed: guesses += 1
            case .throttled: break attack
            case let code: Issue.record("\(String(describing: code))")
            }
        }
        #expect(guesses == ServiceLimits.failedSignInsPerAddress)
    }

    /// Threat: guesses that are sent at the same time are all checked before the first is counted.
    @Test func guessesAtOnceAreNoMoreThanOneAfterTheOther() async throws {
        let codes = await withTaskGroup(of: CloudError.Code?.self) { group in
            for number in 0..<400 {
                group.addTask { await signIn(Self.ada, "guess \(number)", from: "203.0.113.\(number % 200)") }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .authenticationFailed } <= ServiceLimits.failedSignIns)
        #expect(codes.count { $0 == .throttled } >= 400 - ServiceLimits.failedSignIns)
    }

    /// Threat: a stranger sends wrong passwords so that the owner cannot sign in.
    @Test func strangersDoNotLockTheOwnerOut() async throws {
        #expect(await signIn(from: Self.home) == nil)
        for number in 0..<ServiceLimits.failedSignIns {
            #expect(await signIn(Self.ada, "guess", from: "203.0.113.\(number)") == .authenticationFailed)
        }
        #expect(await signIn(from: "203.0.113.200") == .throttled)
        #expect(await signIn(from: Self.home) == nil)
        // That clears nothing for the strangers.
        #expect(await signIn(from: "203.0.113.200") == .throttled)
        // It is remembered through a restart, and the known network has as many attempts as everybody.
        let restarted = try await TestCloud(restarting: cloud)
        for _ in 0..<ServiceLimits.failedSignIns {
            await #expect(throws: CloudError.self) {
                try await restarted.service.beginAccountSession(
                    email: Self.ada, password: "guess", source: "203.0.113.1")
            }
        }
        for number in 0...ServiceLimits.failedSignIns {
            let error = await #expect(throws: CloudError.self) {
                try await restarted.service.beginAccountSession(email: Self.ada, password: "guess", source: Self.home)
            }
            #expect(error?.code == (number < ServiceLimits.failedSignIns ? .authenticationFailed : .throttled))
        }
    }

    @Test func aNetworkIsKnownForAWhileAndToOneAccount() async throws {
        try await cloud.service.createAccount(email: "bob@example.org", password: Self.password)
        #expect(await signIn(from: Self.home) == nil)
        func fail(_ email: String) async {
            for number in 0..<ServiceLimits.failedSignIns {
                _ = await signIn(email, "guess", from: "203.0.113.\(number)")
            }
        }
        await fail("bob@example.org")
        #expect(await signIn("bob@example.org", from: Self.home) == .throttled)
        cloud.clock.withLock { $0 += ServiceLimits.knownNetworkLifetime }
        await fail(Self.ada)
        #expect(await signIn(from: Self.home) == .throttled)
    }

    @Test func theLatestNetworksAreKnown() {
        var networks = KnownNetworks()
        for number in 0...UInt8(ServiceLimits.knownNetworks) { networks.note([number], at: Int64(number)) }
        #expect(networks.networks.count == ServiceLimits.knownNetworks)
        #expect(networks.lastSignIn(from: [0], at: 20) == nil && networks.lastSignIn(from: [1], at: 20) == 1)
        networks.note([1], at: 30)
        #expect(networks.networks.first?.mark == [1] && networks.networks.count == ServiceLimits.knownNetworks)
    }

    /// Somebody who knew the password may have signed in.
    @Test func aNewPasswordForgetsTheNetworks() async throws {
        #expect(await signIn(from: Self.home) == nil)
        try await cloud.service.setPassword(email: Self.ada, password: "battery staple")
        for number in 0..<ServiceLimits.failedSignIns {
            _ = await signIn(Self.ada, "guess", from: "203.0.113.\(number)")
        }
        #expect(await signIn(Self.ada, "battery staple", from: Self.home) == .throttled)
    }

    @Test func addressesOfNetworksAreNotStored() async throws {
        #expect(await signIn(from: Self.home) == nil)
        let rows = try await cloud.store.read(.directory) { transaction in
            try transaction.entries(in: KeyRange(lower: Key(), upper: Key().afterAllWithThisPrefix), limit: .max)
        }
        for row in rows {
            #expect(!String(decoding: row.key.bytes + row.value, as: UTF8.self).contains(Self.home))
        }
    }
}
