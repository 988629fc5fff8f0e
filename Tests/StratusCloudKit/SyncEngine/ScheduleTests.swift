import StratusCloudKit
import Testing

@Suite struct SyncScheduleTests {

    @Test func changesWaitForWhatFollows() {
        var schedule = SyncSchedule()
        #expect(schedule.due == nil)
        schedule.changesAdded(at: .seconds(10))
        #expect(schedule.due == .milliseconds(10_250))
        schedule.changesAdded(at: .milliseconds(10_200))
        #expect(schedule.due == .milliseconds(10_450))
        #expect(schedule.take(at: .milliseconds(10_449)) == nil)
        for time in stride(from: 10_400, through: 10_900, by: 100) { schedule.changesAdded(at: .milliseconds(time)) }
        #expect(schedule.due == .milliseconds(11_000))
        #expect(schedule.take(at: .seconds(11)) == SyncWork(sends: true))
        #expect(schedule.due == nil)
        schedule.changesAdded(at: .seconds(20))
        #expect(schedule.due == .milliseconds(20_250))
    }

    @Test func whatWasTakenAlongIsNotScheduledAnyMore() {
        var schedule = SyncSchedule()
        schedule.changesAdded(at: .zero)
        let work = schedule.take(at: .milliseconds(250))
        #expect(work == SyncWork(sends: true))
        // While it is sent, something is added, which goes along.
        schedule.changesAdded(at: .milliseconds(300))
        schedule.finish(SyncWork(sends: true), .done, isAllSent: true, at: .milliseconds(500), chance: 0)
        #expect(schedule.due == nil)
        schedule.changesAdded(at: .milliseconds(1_200))
        #expect(schedule.due == .milliseconds(1_450))
        // What did not go along waits for its time.
        schedule.finish(SyncWork(fetches: true), .done, at: .milliseconds(1_300), chance: 0)
        #expect(schedule.due == .milliseconds(1_450))
    }

    @Test func aFetchThatIsNeededEarlierTakesThePlaceOfALaterOne() {
        var schedule = SyncSchedule()
        schedule.fetchNeeded(at: .seconds(60))
        #expect(schedule.due == .seconds(60))
        #expect(schedule.take(at: .seconds(59)) == nil)
        schedule.fetchNeeded(at: .seconds(10))
        #expect(schedule.due == .seconds(10))
        schedule.fetchNeeded(at: .seconds(30))
        #expect(schedule.take(at: .seconds(10)) == SyncWork(fetches: true))
        #expect(schedule.due == nil)
    }

    @Test func aFetchDoesNotWait() {
        var schedule = SyncSchedule()
        schedule.changesAdded(at: .seconds(1))
        schedule.fetchNeeded(at: .seconds(1))
        #expect(schedule.due == .seconds(1))
        #expect(schedule.take(at: .seconds(1)) == SyncWork(fetches: true))
        schedule.finish(SyncWork(fetches: true), .done, at: .seconds(1), chance: 0)
        #expect(schedule.due == .milliseconds(1_250))
    }

    @Test func failuresWaitLongerAndLonger() {
        var schedule = SyncSchedule()
        var now = Duration.seconds(100)
        schedule.fetchNeeded(at: now)
        var waits: [Double] = []
        for _ in 0..<14 {
            let work = schedule.take(at: now)
            #expect(work == SyncWork(fetches: true))
            schedule.finish(SyncWork(fetches: true), .failed(retryAfter: nil), at: now, chance: 1)
            let due = schedule.due ?? .zero
            waits.append((due - now) / .seconds(1))
            now = due
        }
        #expect(waits.prefix(5) == [1, 2, 4, 8, 16])
        #expect(waits.last == 900)
        #expect(SyncSchedule.wait(failures: 3, limit: .seconds(900), chance: 0) == .seconds(2))
        _ = schedule.take(at: now)
        schedule.finish(SyncWork(fetches: true), .done, at: now, chance: 0)
        #expect(schedule.due == nil)
        schedule.fetchNeeded(at: now)
        #expect(schedule.due == now)
    }

    @Test func theServersWishCounts() {
        var schedule = SyncSchedule()
        schedule.changesAdded(at: .zero)
        _ = schedule.take(at: .seconds(1))
        schedule.finish(SyncWork(sends: true), .failed(retryAfter: .seconds(30)), at: .seconds(1), chance: 0.5)
        #expect(schedule.due == .milliseconds(32_500))
        // Neither more changes nor a network that is back make it earlier.
        schedule.changesAdded(at: .seconds(2))
        schedule.fetchNeeded(at: .seconds(2))
        schedule.networkReturned()
        #expect(schedule.due == .milliseconds(32_500))
        #expect(schedule.take(at: .milliseconds(32_500)) == SyncWork(fetches: true, sends: true))
    }

    @Test func aNetworkThatIsBackEndsTheWait() {
        var schedule = SyncSchedule()
        schedule.changesAdded(at: .zero)
        _ = schedule.take(at: .seconds(1))
        schedule.finish(SyncWork(sends: true), .failed(retryAfter: nil), at: .seconds(1), chance: 1)
        #expect(schedule.due == .seconds(2))
        schedule.networkReturned()
        #expect(schedule.due == .seconds(1))
    }

    @Test func whatIsRefusedAgainWaits() {
        var schedule = SyncSchedule()
        func refuse(_ items: Set<String>, at now: Duration) -> Duration {
            schedule.changesAdded(at: now)
            _ = schedule.take(at: now + .seconds(1_000))
            schedule.changesAdded(at: now)
            schedule.finish(SyncWork(sends: true), .refused(items), at: now, chance: 1)
            return (schedule.due ?? .zero) - now
        }
        #expect(refuse(["a"], at: .zero) == .zero)
        #expect(refuse(["b"], at: .seconds(1)) == .zero)
        #expect(refuse(["b", "c"], at: .seconds(2)) == .seconds(1))
        #expect(refuse(["b"], at: .seconds(3)) == .seconds(2))
        #expect(refuse(["d"], at: .seconds(4)) == .zero)
    }

    @Test func withoutAnAccountThereIsNothingToDo() {
        var schedule = SyncSchedule()
        schedule.changesAdded(at: .zero)
        schedule.finish(SyncWork(fetches: true), .dormant, at: .zero, chance: 0)
        #expect(schedule.due == nil)
        schedule.accountChanged(at: .seconds(5))
        #expect(schedule.take(at: .seconds(5)) == SyncWork(fetches: true, sends: true))
    }
}
