import CloudKit
import Foundation
import StratusSeeds
import StratusTesting
import Testing

@Suite struct SyncStateTests {
    private typealias Change = CKSyncEngine.PendingRecordZoneChange

    @Test("143: a state that was encoded goes on where it was", arguments: ["JSON", "XML", "binary", "JSON in JSON"])
    func serialization(format: String) async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        let first = SyncApp(database)
        first.edit("a", "A")
        try await first.send()
        try await first.fetch()
        first.edit("b", "B")
        first.state.add(pendingRecordZoneChanges: [.deleteRecord(SyncApp.id("c"))])
        first.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "More"))])
        try await first.engine.sendChanges(.init(scope: .zoneIDs([])))
        let serialization = try roundTrip(try #require(first.serialization), format)
        let second = SyncApp(database, serialization)
        #expect(
            second.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("b")), .deleteRecord(SyncApp.id("c"))])
        #expect(second.state.pendingDatabaseChanges == [.saveZone(CKRecordZone(zoneName: "More"))])
        try await second.fetch()
        #expect(second.log.names == ["willFetchChanges(manual)", "didFetchChanges(manual)"])
    }

    private func roundTrip(
        _ serialization: CKSyncEngine.State.Serialization, _ format: String
    ) throws -> CKSyncEngine.State.Serialization {
        struct Wrapper: Codable { var state: CKSyncEngine.State.Serialization? }
        let wrapper = Wrapper(state: serialization)
        if format.hasPrefix("JSON") {
            let encoder = JSONEncoder(), decoder = JSONDecoder()
            if format != "JSON" {
                (encoder.dataEncodingStrategy, decoder.dataDecodingStrategy) = (.deferredToData, .deferredToData)
            }
            return try #require(decoder.decode(Wrapper.self, from: encoder.encode(wrapper)).state)
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == "XML" ? .xml : .binary
        return try #require(PropertyListDecoder().decode(Wrapper.self, from: encoder.encode(wrapper)).state)
    }

    @Test func damagedStatesAreRefused() async throws {
        struct Bytes: Codable { var data: Data }
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        try await app.send()
        try await app.fetch()
        app.edit("b", "B")
        try await app.engine.sendChanges(.init(scope: .zoneIDs([])))
        let encoded = try JSONEncoder().encode(try #require(app.serialization))
        let bytes = try JSONDecoder().decode(Bytes.self, from: encoded).data
        func read(_ data: Data) throws {
            let text = try JSONEncoder().encode(Bytes(data: data))
            _ = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: text)
        }
        try read(bytes)
        for length in 0..<bytes.count {
            #expect(throws: DecodingError.self) { try read(bytes.prefix(length)) }
        }
        #expect(throws: DecodingError.self) { try read(bytes + [0]) }
        #expect(throws: DecodingError.self) { try read(Data([9]) + bytes.dropFirst()) }
        // Whatever stands in the bytes, reading them ends.
        let seed = Seed.draw()
        var random = SeededRandom(seed: seed)
        for _ in 0..<2_000 {
            var damaged = bytes
            for _ in 0..<3 {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do { try read(damaged) } catch is DecodingError {} catch { Issue.record("seed \(seed): \(error)") }
        }
    }

    @Test func aRecordIsPendingOnce() async throws {
        let state = try await emptyState()
        let (a, b) = (SyncApp.id("a"), SyncApp.id("b"))
        state.add(pendingRecordZoneChanges: [.saveRecord(a)])
        state.add(pendingRecordZoneChanges: [.saveRecord(b), .saveRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(a), .saveRecord(b)])
        state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(a), .saveRecord(b)])
        state.remove(pendingRecordZoneChanges: [.saveRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(a), .saveRecord(b)])
        state.add(pendingRecordZoneChanges: [.saveRecord(a)])
        state.remove(pendingRecordZoneChanges: [.saveRecord(a), .deleteRecord(b)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(b)])
    }

    @Test func aZoneIsPendingOnce() async throws {
        let state = try await emptyState()
        state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneName: "A"))])
        state.add(pendingDatabaseChanges: [
            .saveZone(CKRecordZone(zoneName: "A")), .saveZone(CKRecordZone(zoneName: "B")),
        ])
        #expect(state.pendingDatabaseChanges.count == 2)
        state.add(pendingDatabaseChanges: [.deleteZone(CKRecordZone.ID(zoneName: "A"))])
        #expect(
            state.pendingDatabaseChanges == [
                .deleteZone(CKRecordZone.ID(zoneName: "A")), .saveZone(CKRecordZone(zoneName: "B")),
            ])
    }

    @Test func manyChangesComeAndGoInOrder() async throws {
        let state = try await emptyState()
        let ids = (0..<5_000).map { SyncApp.id("\($0)") }
        for id in ids { state.add(pendingRecordZoneChanges: [.saveRecord(id)]) }
        state.remove(
            pendingRecordZoneChanges: ids.enumerated().filter { $0.offset % 7 != 0 }.map { .saveRecord($0.element) })
        let rest = ids.enumerated().filter { $0.offset % 7 == 0 }.map { Change.saveRecord($0.element) }
        #expect(state.pendingRecordZoneChanges == rest)
    }

    @Test func theStateDoesNotGrowWithTheRecordsThatWereSentToANewZone() async throws {
        let cloud = try await LocalCloud()
        func size(sending count: Int, as user: String) async throws -> Int {
            let app = SyncApp(cloud.account(user).container.privateCloudDatabase)
            for number in 0..<count { app.edit("\(number)", "A") }
            try await app.send()
            return try JSONEncoder().encode(try #require(app.serialization)).count
        }
        let (one, many) = (try await size(sending: 1, as: "ada"), try await size(sending: 500, as: "bob"))
        #expect(many < one + 100)
    }

    @Test func deletionsBeforeTheFirstFetchOfAnOwnZoneAreTold() async throws {
        let cloud = try await LocalCloud()
        let account = cloud.account("ada")
        let app = SyncApp(account.device("phone").container.privateCloudDatabase)
        app.edit("a", "A")
        app.edit("b", "B")
        try await app.send()
        _ = try await account.device("laptop").container.privateCloudDatabase.deleteRecord(withID: SyncApp.id("a"))
        try await app.fetch()
        #expect(app.titles == ["b": "B"])
    }

    @Test func changesOfTheAppAreTold() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.edit("a", "A")
        await app.log.wait(for: "stateUpdate")
        let other = SyncApp(cloud.account("ada").container.privateCloudDatabase, app.serialization)
        #expect(other.state.pendingRecordZoneChanges == [.saveRecord(SyncApp.id("a"))])
    }

    @Test func whatIsAddedAfterACancellationIsTold() async throws {
        let cloud = try await LocalCloud()
        let app = SyncApp(cloud.account("ada").container.privateCloudDatabase)
        app.onEvent.withLock {
            $0 = { event, engine in
                guard case .willFetchChanges = event else { return }
                // The report of this waits behind the fetch, when all that waits is cancelled.
                engine.state.add(pendingRecordZoneChanges: [.saveRecord(SyncApp.id("a"))])
                await engine.cancelOperations()
            }
        }
        #expect(await error { try await app.fetch() }?.code == .operationCancelled)
        app.log.clear()
        app.state.add(pendingRecordZoneChanges: [.saveRecord(SyncApp.id("b"))])
        await app.log.wait(for: "stateUpdate")
    }

    private func emptyState() async throws -> CKSyncEngine.State {
        let cloud = try await LocalCloud()
        return SyncApp(cloud.account("ada").container.privateCloudDatabase).state
    }
}
