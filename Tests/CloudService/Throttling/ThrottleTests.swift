import CloudModel
import Testing

@testable import CloudService

@Suite struct ThrottleTests {
    private static let start: Int64 = 1_795_000_000_000

    private func context() throws -> CloudContext {
        CloudContext(
            container: try #require(ContainerIdentifier("iCloud.org.example.tests")), environment: .development)
    }

    private func wait(_ body: () throws(CloudError) -> Void) -> Int? {
        do throws(CloudError) {
            try body()
            return nil
        } catch {
            #expect(error.code == .throttled)
            return error.retryAfter
        }
    }

    @Test func whoRestedHasAllAtOnceAndThenAsMuchAsComesBack() {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(10)))
        for _ in 0..<10 {
            #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start) } == nil)
        }
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start) } == 1)
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start + 99) } == 1)
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start + 100) } == nil)
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start + 100) } == 1)
        // Refusals cost nothing: after a rest all is there again.
        for _ in 0..<10 {
            #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start + 1_100) } == nil)
        }
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start + 1_100) } == 1)
    }

    @Test func oneDoesNotPayForAnother() throws {
        let throttle = Throttle(
            RequestRates(perAddress: .perSecond(1), perToken: .perSecond(1), perUser: .perSecond(1)))
        let context = try context()
        var production = context
        production.environment = .production
        for name in ["a", "b"] {
            #expect(wait { () throws(CloudError) in try throttle.admit(address: name, at: Self.start) } == nil)
            #expect(wait { () throws(CloudError) in try throttle.admit(token: name, at: Self.start) } == nil)
            #expect(
                wait { () throws(CloudError) in try throttle.admit(user: name, in: context, at: Self.start) } == nil)
            #expect(
                wait { () throws(CloudError) in try throttle.admit(user: name, in: production, at: Self.start) } == nil)
            #expect(wait { () throws(CloudError) in try throttle.admit(user: name, in: context, at: Self.start) } == 1)
        }
        #expect(throttle.statistics == [.address: 0, .token: 0, .user: 2, .people: 0])
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(10)))
        for _ in 0..<10 {
            #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: Self.start) } == nil)
        }
        let yesterday = Self.start - 86_400_000
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: yesterday) } == 1)
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "a", at: yesterday + 1_000) } == 1)
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "b", at: yesterday) } == nil)
    }

    /// Over any times of asking, never more is let through in a span than twice the count: the rest and what came back.
    @Test func overAnyHistoryTheRateHolds() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = RandomValues(seed: seed)
        for _ in 0..<50 {
            let count = Int.random(in: 1...20, using: &random)
            let throttle = Throttle(RequestRates(people: Rate(count, in: 1_000)))
            let context = try context()
            var now = Self.start
            var admitted: [(time: Int64, count: Int)] = []
            for _ in 0..<400 {
                now += Int64.random(in: 0...120, using: &random)
                let people = Int.random(in: 1...5, using: &random)
                let refused = wait { () throws(CloudError) in
                    try throttle.admitPeople(people, of: "_u", in: context, at: now)
                }
                if refused == nil { admitted.append((now, people)) }
                let inSpan = admitted.filter { $0.time > now - 1_000 }.reduce(0) { $0 + $1.count }
                #expect(inSpan <= 2 * count, "seed \(seed)")
            }
        }
    }

    @Test func withoutRatesOnlyPeopleAreCounted() throws {
        let throttle = Throttle(RequestRates())
        let context = try context()
        for _ in 0..<100_000 { try throttle.admit(address: "a", at: Self.start) }
        try throttle.admitPeople(ServiceLimits.peoplePerHour, of: "_u", in: context, at: Self.start)
        #expect(
            wait { () throws(CloudError) in try throttle.admitPeople(1, of: "_u", in: context, at: Self.start) } == 1)
        try throttle.admitPeople(1, of: "_v", in: context, at: Self.start)
    }

    @Test func manySubjectsTakeBoundedRoom() throws {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(1)))
        for number in 0..<(Throttle.remembered + 10) { try throttle.admit(address: "\(number)", at: Self.start) }
        // All were busy, so all were forgotten but the latest.
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "0", at: Self.start) } == nil)
        let last = Throttle.remembered + 9
        #expect(wait { () throws(CloudError) in try throttle.admit(address: "\(last)", at: Self.start) } == 1)
    }
}
