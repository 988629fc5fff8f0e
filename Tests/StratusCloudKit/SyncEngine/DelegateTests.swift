import CloudKit
import Foundation
import StratusTesting
import StratusWorkers
import Testing

@Suite struct SyncDelegateTests {
    @Test func eventsComeOneAtATime() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        let inside = Lock(0)
        app.onEvent.withLock {
            $0 = { _, _ in
                #expect(
                    inside.withLock {
                        $0 += 1; return $0
                    } == 1)
                for _ in 0..<20 { await Task.yield() }
                inside.withLock { $0 -= 1 }
            }
        }
        for number in 0..<20 { app.edit("\(number)", "A") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { try await app.send() }
                group.addTask { try await app.fetch() }
            }
            try await group.waitForAll()
        }
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test func waitingForTheEngineInACallbackIsRefused() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        let refusals = Lock<[CKError?]>([])
        app.onEvent.withLock {
            $0 = { event, engine in
                guard case .willSendChanges = event else { return }
                let send = await error { try await engine.sendChanges() }
                let fetch = await error { try await engine.fetchChanges() }
                let child = await Task { await error { try await engine.fetchChanges() } }.value
                refusals.withLock { $0 += [send, fetch, child] }
            }
        }
        try await app.send()
        let found = refusals.withLock { $0 }
        #expect(found.map { $0?.code } == [.invalidArguments, .invalidArguments, .invalidArguments])
        #expect(found.first??.localizedDescription.contains("sendChanges was called inside a callback") == true)
    }

    @Test func anotherTaskMayWait() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        let fetched = Once<CKError.Code?>()
        app.onEvent.withLock {
            $0 = { event, engine in
                guard case .didSendChanges = event else { return }
                Task.detached { fetched.arrive(await error { try await engine.fetchChanges() }?.code) }
            }
        }
        try await app.send()
        #expect(await fetched.value == nil)
        #expect(app.log.names.last == "didFetchChanges(manual)")
    }

    @Test func anotherEngineMayBeWaitedForButNotInACircle() async throws {
        let cloud = try await LocalCloud()
        let container = cloud.account("ada").container
        let own = SyncApp(container.privateCloudDatabase), shared = SyncApp(container.sharedCloudDatabase)
        let refusal = Lock<CKError?>(nil)
        own.onEvent.withLock {
            $0 = { event, _ in
                if case .didSendChanges = event { try? await shared.fetch() }
            }
        }
        shared.onEvent.withLock {
            $0 = { event, _ in
                guard case .didFetchChanges = event else { return }
                let circle = await error { try await own.fetch() }
                refusal.withLock { $0 = circle }
            }
        }
        try await own.send()
        #expect(refusal.withLock { $0 }?.code == .invalidArguments)
        #expect(shared.log.names.last == "didFetchChanges(manual)")
    }

    @Test func cancellingKeepsWhatWaits() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        app.edit("a", "B")
        cloud.clock.stop()
        cloud.faults.inject(.latency(.seconds(10)), on: .saveRecords)
        let sending = Task { await app.sendFailure() }
        await cloud.clock.untilWaiting()
        let waiting = Task { await error { try await app.fetch() } }
        await app.engine.cancelOperations()
        #expect(await sending.value?.code == .operationCancelled)
        _ = await waiting.value
        #expect(app.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("a"))])
        #expect(app.log.names.contains("didSendChanges(manual)"))
        cloud.clock.resume()
        try await app.send()
        #expect(app.state.pendingRecordZoneChanges.isEmpty)
    }

    @Test func cancellingTheCallersTaskCancels() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        cloud.clock.stop()
        cloud.faults.inject(.latency(.seconds(10)), on: .saveZones)
        let sending = Task { await app.sendFailure() }
        await cloud.clock.untilWaiting()
        sending.cancel()
        #expect(await sending.value?.code == .operationCancelled)
        #expect(app.state.pendingDatabaseChanges.count == 1)
    }

    @Test func theDelegateIsHeldWeakly() async throws {
        let cloud = try await LocalCloud()
        final class Delegate: CKSyncEngineDelegate {
            func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {}
            func nextRecordZoneChangeBatch(
                _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
            ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
        }
        func engine() -> CKSyncEngine {
            CKSyncEngine(
                CKSyncEngine.Configuration(
                    database: cloud.account("ada").container.privateCloudDatabase, stateSerialization: nil,
                    delegate: Delegate()))
        }
        let abandoned = engine()
        try await abandoned.sendChanges()
        #expect(String(describing: abandoned).contains("CKSyncEngine"))
    }
}
