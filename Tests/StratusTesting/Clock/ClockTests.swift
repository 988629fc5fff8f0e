import CloudKit
import StratusTesting
import Testing

@Suite struct ClockTests {
    @Test func datesComeFromTheClock() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        cloud.clock.stop()
        let saved = try await database.save(note("a"))
        #expect(abs(try #require(saved.modificationDate).timeIntervalSince(cloud.clock.date)) < 0.002)
        cloud.clock.advance(by: .seconds(86_400))
        saved["title"] = "Tomorrow"
        let later = try await database.save(saved)
        let passed = try #require(later.modificationDate).timeIntervalSince(try #require(later.creationDate))
        #expect(abs(passed - 86_400) < 0.002)
    }

    @Test func latencyTakesNoTimeWhereTheClockGoes() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        cloud.faults.inject(.latency(.seconds(50)), on: .saveRecords, times: 20)
        let (before, real) = (cloud.clock.now, ContinuousClock.now)
        for number in 0..<20 { try await database.save(note("\(number)")) }
        #expect(before.duration(to: cloud.clock.now) >= .seconds(1_000))
        #expect(ContinuousClock.now - real < .seconds(1_000))
    }

    @Test func aRequestHangsWhereTheClockStands() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.container.privateCloudDatabase
        cloud.faults.inject(.latency(.seconds(5)), on: .saveRecords)
        cloud.clock.stop()
        let save = Task { try await database.save(note("a")) }
        await cloud.clock.untilWaiting()
        cloud.clock.advance(by: .seconds(4))
        #expect(try await cloud.records(of: ada).isEmpty)
        if case .pending? = cloud.requests.last?.outcome {} else { Issue.record("it should be on its way") }
        cloud.clock.advance(by: .seconds(1))
        _ = try await save.value
        #expect(try await cloud.records(of: ada).count == 1)
    }

    @Test func patienceEnds() async throws {
        let cloud = try await LocalCloud()
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 10
        let ada = cloud.account("ada")
        cloud.faults.inject(.latency(.seconds(11)), on: .saveRecords)
        let error = await failure {
            try await ada.container.privateCloudDatabase.configuredWith(configuration: configuration) {
                _ = try await $0.save(note("a"))
            }
        }
        #expect(error?.code == .serverResponseLost)
        #expect(try await cloud.records(of: ada).isEmpty)
    }

    @Test func retriesInTheBackgroundWaitForTheClock() async throws {
        let cloud = try await LocalCloud()
        let configuration = CKOperation.Configuration()
        configuration.qualityOfService = .background
        let database = cloud.account("ada").container.privateCloudDatabase
        cloud.faults.inject(.throttle(retryAfter: 3_600), on: .saveRecords)
        _ = try await cloud.account("ada").container.userRecordID()
        cloud.clock.stop()
        let save = Task {
            try await database.configuredWith(configuration: configuration) { try await $0.save(note("a")) }
        }
        await cloud.clock.untilWaiting()
        cloud.clock.advance(by: .seconds(3_600))
        _ = try await save.value
        #expect(cloud.requests(.saveRecords).count == 2)
    }

    @Test func whoIsCancelledWaitsNoLonger() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        cloud.faults.inject(.latency(.seconds(5)), on: .saveRecords)
        cloud.clock.stop()
        let save = Task { try await database.save(note("a")) }
        await cloud.clock.untilWaiting()
        save.cancel()
        #expect(await failure { _ = try await save.value }?.code == .operationCancelled)
    }

    @Test func theLastWaitEndsWhenTheClockGoesAgain() async throws {
        let cloud = try await LocalCloud()
        let clock = cloud.clock
        clock.stop()
        let before = clock.now
        async let first: Void = clock.sleep(for: .seconds(10))
        async let second: Void = clock.sleep(for: .seconds(20))
        await clock.untilWaiting(2)
        clock.resume()
        _ = try await (first, second)
        #expect(before.duration(to: clock.now) >= .seconds(20))
    }
}
