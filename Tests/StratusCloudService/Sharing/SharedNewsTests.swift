import StratusCloudModel
import StratusCloudStore
import StratusWorkers
import Testing

@testable import StratusCloudService

/// People who share are told of commits, whatever happens between the commit and their devices.
@Suite("News of shared zones")
struct SharedNewsTests {
    private static func zones(_ notifications: [CloudNotification]) -> [String] {
        notifications.compactMap { if case .database(let zone) = $0.kind { zone.zoneName } else { nil } }
    }

    private func waiting(_ cloud: TestCloud) async throws -> Int {
        try await cloud.store.read(cloud.database) { try $0.entries(in: Keyspace.sharedNews, limit: .max).count }
    }

    @Test("A server that ends between a commit and its news tells them when it starts again, with the same identifiers")
    func crash() async throws {
        let store = FailingStore(MemoryStore())
        let cloud = try await TestCloud(store: store)
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z", with: [bob])
        let device = try await cloud.device(of: bob)
        try await cloud.subscribe("s", .database(recordType: nil), in: .shared, as: bob)
        try await store.settled { try await waiting(cloud) == 0 }
        _ = try await device.notifications()
        // Whatever would be written for Bob is lost.
        store.refuse(.privateDatabase(of: bob.authorRecordName, in: cloud.context))
        _ = try await cloud.modify([cloud.child("child", of: "root")], zone: "Z")
        try await store.waitForRefusal()
        #expect(try await waiting(cloud) == 1)
        store.refuse(nil)
        let next = try await TestCloud(restarting: cloud)
        try await next.service.resumeDeferredWork()
        try await store.settled { try await waiting(cloud) == 0 }
        let told = try await TestDevice(service: next.service, registration: device.registration).notifications()
        #expect(Self.zones(told) == ["Z"])

        // What was told, but not taken off the list, comes again as the same.
        store.refuse(cloud.database, after: 1)
        _ = try await next.modify([next.child("second", of: "root")], zone: "Z")
        try await store.waitForRefusal()
        let first = try await TestDevice(service: next.service, registration: device.registration).notifications()
        store.refuse(nil)
        let last = try await TestCloud(restarting: cloud)
        try await last.service.resumeDeferredWork()
        try await store.settled { try await waiting(cloud) == 0 }
        let again = try await TestDevice(service: last.service, registration: device.registration).notifications()
        #expect(Self.zones(first) == ["Z"])
        #expect(again.map(\.notificationID) == first.map(\.notificationID))
        #expect(again.map(\.notificationID) != told.map(\.notificationID))
    }

    @Test("More commits than are told at a time are all told")
    func manyCommits() async throws {
        let store = FailingStore(MemoryStore())
        let cloud = try await TestCloud(store: store)
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z", with: [bob])
        let device = try await cloud.device(of: bob)
        try await cloud.subscribe("s", .database(recordType: "Last"), in: .shared, as: bob)
        try await store.settled { try await waiting(cloud) == 0 }
        store.refuse(.privateDatabase(of: bob.authorRecordName, in: cloud.context))
        for index in 0..<ShareLimits.newsPerStep {
            _ = try await cloud.modify([cloud.child("child\(index)", of: "root")], zone: "Z")
        }
        var last = RecordOperation.make(.create, "last", type: "Last")
        last.record.parent = Reference(recordName: "root")
        _ = try await cloud.modify([last], zone: "Z")
        try await store.waitForRefusal()
        store.refuse(nil)
        let next = try await TestCloud(restarting: cloud)
        try await next.service.resumeDeferredWork()
        try await store.settled { try await waiting(cloud) == 0 }
        // Only the last is of the type that Bob watches.
        let told = try await TestDevice(service: next.service, registration: device.registration).notifications()
        #expect(Self.zones(told) == ["Z"])
    }

    @Test("A participant hears nothing of types that changed where they do not see it")
    func types() async throws {
        let store = FailingStore(MemoryStore())
        let cloud = try await TestCloud(store: store)
        let bob = cloud.user("b")
        try await cloud.makeZone("Z")
        try await cloud.share("root", in: "Z", with: [bob])
        _ = try await cloud.modify([.make(.create, "hidden", type: "Diary")], zone: "Z")
        let device = try await cloud.device(of: bob)
        try await cloud.subscribe("diary", .database(recordType: "Diary"), in: .shared, as: bob)
        try await cloud.subscribe("notes", .database(recordType: "Note"), in: .shared, as: bob)
        try await store.settled { try await waiting(cloud) == 0 }
        _ = try await device.notifications()
        // One commit that changes both.
        _ = try await cloud.modify(
            [.make(.forceUpdate, "hidden", type: "Diary"), cloud.child("child", of: "root")], zone: "Z")
        try await store.settled { try await waiting(cloud) == 0 }
        #expect(try await device.notifications().map(\.subscriptionID) == ["notes"])
    }

    @Test("Whoever is removed hears of it, and of nothing in or after that commit")
    func removed() async throws {
        let store = FailingStore(MemoryStore())
        let cloud = try await TestCloud(store: store)
        let (bob, eve) = (cloud.user("b"), cloud.user("e"))
        try await cloud.makeZone("Z")
        let share = try await cloud.share("root", in: "Z", with: [bob, eve])
        var devices: [TestDevice] = []
        for person in [bob, eve] {
            devices.append(try await cloud.device(of: person))
            try await cloud.subscribe("s", .database(recordType: nil), in: .shared, as: person)
        }
        try await store.settled { try await waiting(cloud) == 0 }
        for device in devices { _ = try await device.notifications() }
        let result = try await cloud.update(share.recordName, in: "Z") {
            $0.participants = [ShareParticipantInput(lookup: .userRecordName(eve.authorRecordName))]
        }
        #expect(result.saved != nil)
        try await store.settled { try await waiting(cloud) == 0 }
        #expect(Self.zones(try await devices[0].notifications()) == ["Z"])
        _ = try await cloud.modify([cloud.child("child", of: "root")], zone: "Z")
        try await store.settled { try await waiting(cloud) == 0 }
        #expect(try await devices[0].notifications() == [])
        #expect(!Self.zones(try await devices[1].notifications()).isEmpty)
        // A zone that goes takes all that they had.
        try await cloud.deleteZone("Z")
        try await store.settled { try await waiting(cloud) == 0 }
        #expect(Self.zones(try await devices[1].notifications()) == ["Z"])
        #expect(try await devices[0].notifications() == [])
    }
}

/// A store that refuses to write to one partition, and tells when anything was written.
private final class FailingStore: CloudStore {
    private struct State {
        var refused: Partition?
        /// Writes to it that still succeed.
        var spared = 0
        var refusals = 0
        /// Counts writes.
        var version = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let base: MemoryStore
    private let state = Lock(State())

    init(_ base: MemoryStore) { self.base = base }

    /// - Parameter spared: writes that still succeed.
    func refuse(_ partition: Partition?, after spared: Int = 0) {
        state.withLock { state in
            state.refused = partition
            state.spared = spared
            state.refusals = 0
        }
    }

    /// Waits until a write was refused.
    func waitForRefusal() async throws { try await settled { self.state.withLock { $0.refusals } > 0 } }

    /// Waits for writes until something holds.
    func settled(_ holds: () async throws -> Bool) async throws {
        while true {
            // A write between the look and the wait must not be missed.
            let version = state.withLock { $0.version }
            if try await holds() { return }
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.version != version { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    func read<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any ReadTransaction) throws -> Result
    ) async throws -> Result { try await base.read(partition, body) }

    func write<Result: Sendable>(
        _ partition: Partition, _ body: @escaping @Sendable (any WriteTransaction) throws -> Result
    ) async throws -> Result {
        defer { wake() }
        let isRefused = state.withLock { state in
            guard state.refused == partition else { return false }
            state.spared -= 1
            guard state.spared < 0 else { return false }
            state.refusals += 1
            return true
        }
        if isRefused { throw StoreError(.ioFailure, "refused") }
        return try await base.write(partition, body)
    }

    private func wake() {
        let waiters = state.withLock { state in
            state.version += 1
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func partitions() async throws -> [Partition] { try await base.partitions() }

    func statistics() -> StoreStatistics { base.statistics() }
    func close() async { await base.close() }
}
