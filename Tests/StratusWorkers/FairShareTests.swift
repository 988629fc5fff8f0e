import StratusWaiting
import Testing

@testable import StratusWorkers

@Suite struct FairShareTests {
    /// A clock that tests set.
    private final class Hands: Sendable {
        private let time = Lock<Int64>(0)
        func read() -> Int64 { time.withLock { $0 } }
        func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    }

    /// What went to work, in order.
    private final class Journal: Sendable {
        private let entries = Lock<[String]>([])
        var all: [String] { entries.withLock { $0 } }

        func note(_ entry: String) { entries.withLock { $0.append(entry) } }

        func wait(for count: Int) async throws {
            try await StratusWaiting.wait(for: "\(count) at work") { all.count >= count }
        }
    }

    private let hands = Hands()
    private let a = "a"
    private let b = "b"
    private let c = "c"

    private func share(_ limit: Int) -> FairShare {
        let hands = hands
        return FairShare(limit: limit) { hands.read() }
    }

    /// Lets `client` ask behind everything it has asked before; returns when it waits.
    private func ask(
        _ share: FairShare, _ client: String, _ name: String, _ journal: Journal, weight: Int = 1
    ) async throws -> Task<FairShare.Share, Never> {
        let held = share.heldRequests
        let task = Task {
            let taken = await share.take(weight, for: client)
            journal.note(name)
            return taken
        }
        try await wait(for: "\(name) to wait") { share.heldRequests > held }
        return task
    }

    @Test func whoIsAloneHasRoomForMuchMore() async throws {
        let (share, journal) = (share(1), Journal())
        var taken: [FairShare.Share] = []
        for _ in 0..<FairShare.loneFactor { taken.append(await share.take(for: a)) }
        #expect(share.heldRequests == 0)
        let next = try await ask(share, a, "next", journal)
        share.giveBack(taken[0])
        share.giveBack(await next.value)
    }

    @Test func besideOthersTheRestWaitsInOrderAndOthersDoNot() async throws {
        let (share, journal) = (share(2), Journal())
        _ = await share.take(for: b)
        let first = await share.take(for: a)
        let second = await share.take(for: a)
        var waiting: [Task<FairShare.Share, Never>] = []
        for name in ["1", "2", "3"] { waiting.append(try await ask(share, a, name, journal)) }
        // The other one has room for one more, whatever waits.
        let other = await share.take(for: b)
        #expect(journal.all.isEmpty)
        share.giveBack(other)
        #expect(journal.all.isEmpty)
        share.giveBack(first)
        try await journal.wait(for: 1)
        share.giveBack(second)
        try await journal.wait(for: 2)
        share.giveBack(await waiting[0].value)
        try await journal.wait(for: 3)
        #expect(journal.all == ["1", "2", "3"])
        #expect(share.heldRequests == 3)
        for task in waiting[1...] { share.giveBack(await task.value) }
        share.giveBack(await share.take(2, for: a))
        #expect(share.heldRequests == 3)
    }

    @Test func whatIsHeavyWaitsUntilThereIsRoomAndHoldsUpWhatComesAfterIt() async throws {
        let (share, journal) = (share(4), Journal())
        _ = await share.take(for: b)
        let light = await share.take(for: a)
        // More than all there is goes when nothing else of its client is at work.
        let heavy = try await ask(share, a, "heavy", journal, weight: 100)
        let late = try await ask(share, a, "late", journal)
        share.giveBack(light)
        try await journal.wait(for: 1)
        #expect(journal.all == ["heavy"])
        share.giveBack(await heavy.value)
        try await journal.wait(for: 2)
        share.giveBack(await late.value)
        #expect(journal.all == ["heavy", "late"])
    }

    @Test func othersCountAsPresentForFiveSeconds() async throws {
        let share = share(1)
        share.giveBack(await share.take(for: b))
        hands.advance(by: FairShare.presence)
        // Nobody else has been there for so long.
        var taken: [FairShare.Share] = []
        for _ in 0..<3 { taken.append(await share.take(for: a)) }
        #expect(share.heldRequests == 0)
        hands.advance(by: FairShare.presence - 1)
        _ = await share.take(for: b)
        let held = try await ask(share, a, "held", Journal())
        #expect(share.heldRequests == 1)
        hands.advance(by: FairShare.presence)
        _ = await share.take(for: c)
        share.giveBack(taken[0])
        share.giveBack(await held.value)
    }

    @Test func whenOthersHaveGoneWhatWaitsGoesToWorkUpToThatBound() async throws {
        let (share, journal) = (share(1), Journal())
        _ = await share.take(for: b)
        let first = await share.take(for: a)
        var waiting: [Task<FairShare.Share, Never>] = []
        for number in 0...FairShare.loneFactor { waiting.append(try await ask(share, a, "\(number)", journal)) }
        hands.advance(by: FairShare.presence)
        share.giveBack(first)
        try await journal.wait(for: FairShare.loneFactor)
        #expect(Set(journal.all) == Set((0..<FairShare.loneFactor).map(String.init)))
        share.giveBack(await waiting[0].value)
        try await journal.wait(for: FairShare.loneFactor + 1)
    }

    /// Whoever gives up still gets its turn, so that what it took is given back.
    @Test func nothingIsLostWithWhoGivesUp() async throws {
        let (share, journal) = (share(1), Journal())
        _ = await share.take(for: b)
        let first = await share.take(for: a)
        let cancelled = try await ask(share, a, "cancelled", journal)
        let next = try await ask(share, a, "next", journal)
        cancelled.cancel()
        share.giveBack(first)
        share.giveBack(await cancelled.value)
        share.giveBack(await next.value)
        #expect(journal.all == ["cancelled", "next"])
    }

    /// However threads meet, no more than the limit is at work, and everything is done.
    @Test func manyAtOnce() async {
        let share = share(3)
        for client in [a, b] { share.giveBack(await share.take(for: client)) }
        let atWork = Lock<(now: [Int], most: Int)>(([0, 0], 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4_000 {
                group.addTask {
                    let client = number % 2
                    let taken = await share.take(for: client == 0 ? a : b)
                    atWork.withLock { $0.now[client] += 1 }
                    await Task.yield()
                    atWork.withLock { state in
                        state.most = max(state.most, state.now[client])
                        state.now[client] -= 1
                    }
                    share.giveBack(taken)
                }
            }
        }
        #expect(atWork.withLock { $0.now } == [0, 0])
        #expect((1...3).contains(atWork.withLock { $0.most }))
    }
}
