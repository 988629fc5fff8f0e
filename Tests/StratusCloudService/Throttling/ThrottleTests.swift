import StratusCloudModel
import StratusSeeds
import Testing

@testable import StratusCloudService

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
            #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start) } == nil)
        }
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start) } == 1)
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start + 99) } == 1)
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start + 100) } == nil)
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start + 100) } == 1)
        // Refusals cost nothing: after a rest all is there again.
        for _ in 0..<10 {
            #expect(
                wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start + 1_100) } == nil)
        }
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("a"), at: Self.start + 1_100) } == 1)
    }

    @Test func oneDoesNotPayForAnother() throws {
        let throttle = Throttle(
            RequestRates(perAddress: .perSecond(1), perToken: .perSecond(1), perUser: .perSecond(1)))
        let context = try context()
        var production = context
        production.environment = .production
        for name in ["a", "b"] {
            #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address(name), at: Self.start) } == nil)
            #expect(wait { () throws(CloudError) in _ = try throttle.admit(.token(name), at: Self.start) } == nil)
            #expect(
                wait { () throws(CloudError) in _ = try throttle.admit(.user(context, name), at: Self.start) } == nil)
            #expect(
                wait { () throws(CloudError) in _ = try throttle.admit(.user(production, name), at: Self.start) } == nil
            )
            #expect(wait { () throws(CloudError) in _ = try throttle.admit(.user(context, name), at: Self.start) } == 1)
        }
        #expect(throttle.statistics == [.address: 0, .token: 0, .user: 2, .people: 0])
    }

    @Test func aClockThatIsSetBackLocksNobodyOut() {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(10)))
        func wait(_ address: String, _ now: Int64) -> Int? {
            self.wait { () throws(CloudError) in _ = try throttle.admit(.address(address), at: now) }
        }
        for _ in 0..<10 { #expect(wait("a", Self.start) == nil) }
        let yesterday = Self.start - 86_400_000
        #expect(wait("a", yesterday) == 1)
        #expect(wait("a", yesterday + 99) == 1)
        #expect(wait("a", yesterday + 100) == nil)
        #expect(wait("a", yesterday + 100) == 1)
        #expect(wait("b", yesterday) == nil)
    }

    @Test func requestsThatOvertakeEachOtherGainNothing() {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(10)))
        var admitted = 0
        for number in 0..<10_000 {
            let now = Self.start + (number.isMultiple(of: 2) ? 999 : 0)
            if wait({ () throws(CloudError) in _ = try throttle.admit(.address("a"), at: now) }) == nil {
                admitted += 1
            }
        }
        #expect(admitted == 10)
    }

    /// Ten requests a second are a hundred units of work a second, ten at once.
    @Test func workBeyondWhatThereIsIsDoneAndPaidAfterwards() throws {
        let throttle = Throttle(RequestRates(perUser: .perSecond(10)))
        let user = Throttle.Subject.user(try context(), "_u")
        func begins(_ now: Int64, _ units: Int) -> Int? {
            wait { () throws(CloudError) in try throttle.admit(units, of: [user], at: now) }
        }
        // All there is, and nobody owes.
        #expect(begins(Self.start, 10) == nil)
        #expect(begins(Self.start, 250) == nil)
        // Two and a half seconds' worth is owed.
        #expect(begins(Self.start, 0) == 3)
        #expect(begins(Self.start + 2_499, 0) == 1)
        #expect(begins(Self.start + 2_500, 1) == nil)
        #expect(begins(Self.start + 2_500, 0) == 1)
        // Rested, it has ten units again and no more.
        #expect(begins(Self.start + 60_000, 10) == nil)
        #expect(begins(Self.start + 60_000, 1) == nil)
        #expect(begins(Self.start + 60_000, 0) == 1)
        #expect(begins(Self.start + 60_010, 0) == nil)
        #expect(throttle.statistics[.user] == 4)
    }

    @Test func ordinaryRequestsOweNothing() throws {
        let throttle = Throttle(RequestRates(perUser: .perSecond(100)))
        let user = Throttle.Subject.user(try context(), "_u")
        // A hundred a second, each with a page of 199 records, evenly spaced.
        for number in 0..<1_000 {
            let now = Self.start + Int64(number) * 10
            #expect(try throttle.admit(user, at: now))
            try throttle.admit(0, of: [user], at: now)
            throttle.charge(RequestCost(records: 199).units, to: [user], at: now)
        }
        #expect(throttle.statistics[.user] == 0)
    }

    @Test func whoOwesBeginsNothingAndIsNotChargedForIt() throws {
        let throttle = Throttle(RequestRates(perToken: .perSecond(10), perUser: .perSecond(10)))
        let (user, token) = (Throttle.Subject.user(try context(), "_u"), Throttle.Subject.token("t"))
        // While the next waited for its turn, this one turned out to be large.
        throttle.charge(30, to: [user], at: Self.start)
        func begins(_ units: Int, _ subjects: [Throttle.Subject], _ now: Int64) -> Int? {
            wait { () throws(CloudError) in try throttle.admit(units, of: subjects, at: now) }
        }
        #expect(begins(100, [token, user], Self.start) == 1)
        #expect(begins(100, [token, user], Self.start + 199) == 1)
        #expect(begins(10, [token], Self.start + 199) == nil)
        #expect(begins(0, [token], Self.start + 199) == nil)
        #expect(begins(1, [user], Self.start + 200) == nil)
        // Requests are another matter: all ten are there.
        for _ in 0..<10 { #expect(try throttle.admit(user, at: Self.start + 200)) }
    }

    @Test func nobodyOwesMoreThanAMinute() throws {
        let throttle = Throttle(RequestRates(perUser: .perSecond(1)))
        let user = Throttle.Subject.user(try context(), "_u")
        func begins(_ now: Int64) -> Int? {
            wait { () throws(CloudError) in try throttle.admit(0, of: [user], at: now) }
        }
        for units in [1_000, .max, .max] { throttle.charge(units, to: [user], at: Self.start) }
        #expect(begins(Self.start) == 60)
        #expect(begins(Self.start + 59_999) == 1)
        #expect(begins(Self.start + 60_000) == nil)
        // Nor after the clock was set back meanwhile.
        throttle.charge(.max, to: [user], at: Self.start + 60_000)
        #expect(begins(Self.start - 86_400_000) == 60)
    }

    @Test(arguments: [
        (RequestCost(), 0), (RequestCost(records: 19, operations: 3, bytes: 131_071), 0), (RequestCost(records: 20), 1),
        (RequestCost(operations: 4), 1), (RequestCost(bytes: 131_072), 1), (RequestCost(records: 200), 10),
        (RequestCost(operations: 200), 50), (RequestCost(records: 40, operations: 8) + RequestCost(bytes: 262_144), 6),
    ])
    func unitsAreCountedWhole(cost: RequestCost, units: Int) { #expect(cost.units == units) }

    /// Over any times of asking, never more is let through in a span than twice the count: the rest and what came back.
    @Test func overAnyHistoryTheRateHolds() throws {
        let seed = Seed.draw()
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
        for _ in 0..<100_000 { _ = try throttle.admit(.address("a"), at: Self.start) }
        try throttle.admitPeople(ServiceLimits.peoplePerHour, of: "_u", in: context, at: Self.start)
        #expect(
            wait { () throws(CloudError) in try throttle.admitPeople(1, of: "_u", in: context, at: Self.start) } == 1)
        try throttle.admitPeople(1, of: "_v", in: context, at: Self.start)
    }

    @Test func manySubjectsTakeBoundedRoom() throws {
        let throttle = Throttle(RequestRates(perAddress: .perSecond(1)))
        for number in 0..<(Throttle.remembered + 10) { _ = try throttle.admit(.address("\(number)"), at: Self.start) }
        // All were busy, so all were forgotten but the latest.
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("0"), at: Self.start) } == nil)
        let last = Throttle.remembered + 9
        #expect(wait { () throws(CloudError) in _ = try throttle.admit(.address("\(last)"), at: Self.start) } == 1)
    }
}
