import StratusCloudModel
import Testing

@testable import StratusCloudService

@Suite struct SignInAttemptsTests {
    private func wait(_ attempts: SignInAttempts, _ subject: SignInAttempts.Subject, at now: Int64 = 0) -> Int? {
        do throws(CloudError) {
            try attempts.admit([subject], at: now)
            attempts.end([subject], failed: false, at: now)
            return nil
        } catch { return error.retryAfter }
    }

    private func fail(
        _ attempts: SignInAttempts, _ subject: SignInAttempts.Subject, times: Int = 1, at now: Int64 = 0
    ) throws {
        for _ in 0..<times {
            try attempts.admit([subject], at: now)
            attempts.end([subject], failed: true, at: now)
        }
    }

    @Test func guessesAreLimitedForAWhile() throws {
        let attempts = SignInAttempts()
        try fail(attempts, .account("a"), times: ServiceLimits.failedSignIns)
        #expect(wait(attempts, .account("a"), at: 1_000) == Int(ServiceLimits.failedSignInWindow / 1_000) - 1)
        #expect(wait(attempts, .account("b")) == nil && wait(attempts, .developer("a")) == nil)
        #expect(wait(attempts, .account("a"), at: ServiceLimits.failedSignInWindow) == nil)
        try fail(attempts, .account("a"), times: ServiceLimits.failedSignIns, at: ServiceLimits.failedSignInWindow)
        #expect(wait(attempts, .account("a"), at: ServiceLimits.failedSignInWindow) != nil)
    }

    @Test func whatSucceedsTakesNothing() throws {
        let attempts = SignInAttempts()
        try fail(attempts, .account("a"), times: ServiceLimits.failedSignIns - 1)
        for _ in 0..<100 { #expect(wait(attempts, .account("a")) == nil) }
        try fail(attempts, .account("a"))
        #expect(wait(attempts, .account("a")) != nil)
        attempts.clear(.account("a"))
        #expect(wait(attempts, .account("a")) == nil)
    }

    @Test func attemptsAtTheSameTimeAreCountedBeforeTheyEnd() throws {
        let attempts = SignInAttempts()
        for _ in 0..<ServiceLimits.failedSignIns { try attempts.admit([.account("a"), .address("x")], at: 0) }
        #expect(wait(attempts, .account("a")) == 2)
        // What is refused for one subject takes nothing of the others.
        let others = ServiceLimits.failedSignInsPerAddress - ServiceLimits.failedSignIns
        for _ in 0..<200 {
            #expect(throws: CloudError.self) { try attempts.admit([.address("x"), .account("a")], at: 0) }
        }
        for number in 0..<others { try attempts.admit([.account("\(number + 10)"), .address("x")], at: 0) }
        #expect(wait(attempts, .address("x")) == 2)
        attempts.end([.account("a"), .address("x")], failed: false, at: 0)
        #expect(wait(attempts, .account("a")) == nil && wait(attempts, .address("x")) == nil)
    }

    /// Threat: the memory of counts is filled with made-up names until the count of the account that matters is forgotten.
    @Test func madeUpNamesDoNotClearACount() throws {
        let attempts = SignInAttempts(capacity: 1_000)
        try fail(attempts, .account("ada"), times: ServiceLimits.failedSignIns)
        try fail(attempts, .address("x"), times: ServiceLimits.failedSignInsPerAddress)
        for number in 0..<10_000 {
            try fail(attempts, .account("name \(number)"), at: 1)
            try fail(attempts, .address("address \(number)"), at: 1)
        }
        #expect(wait(attempts, .account("ada"), at: 1) != nil)
        #expect(wait(attempts, .address("x"), at: 1) != nil)
    }
}
