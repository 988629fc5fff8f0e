import CloudKit
import Foundation
import StratusWorkers
import Testing

@testable import StratusCloudKit

/// `CKSyncEngine` over the shared database, as a participant's app has it.
@Suite struct SharedSyncTests {
    /// An app that keeps what others share: secrets by record.
    private final class SharedApp: CKSyncEngineDelegate {
        private struct Model {
            var secrets: [CKRecord.ID: String] = [:]
            var known: [CKRecord.ID: CKRecord] = [:]
            var zones: Set<CKRecordZone.ID> = []
            var engine: CKSyncEngine?
        }

        private let model = Lock(Model())
        let log = EventLog()
        /// Called before the next batch is made.
        let beforeBatch = Lock<(@Sendable () async -> Void)?>(nil)

        init(_ database: CKDatabase) {
            var configuration = CKSyncEngine.Configuration(
                database: database, stateSerialization: nil, delegate: self)
            configuration.automaticallySync = false
            let engine = CKSyncEngine(configuration)
            model.withLock { $0.engine = engine }
        }

        var engine: CKSyncEngine {
            guard let engine = model.withLock({ $0.engine }) else { preconditionFailure("an app has an engine") }
            return engine
        }
        var zones: Set<CKRecordZone.ID> { model.withLock { $0.zones } }
        var secrets: [String: String] {
            model.withLock { model in
                Dictionary(model.secrets.map { ($0.key.recordName, $0.value) }) { first, _ in first }
            }
        }

        func edit(_ recordID: CKRecord.ID, _ secret: String) {
            model.withLock { $0.secrets[recordID] = secret }
            engine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        }

        /// Edits again what was refused.
        func retry() {
            let open = log.events.compactMap(\.sentRecords).flatMap(\.failedRecordSaves).map(\.record.recordID)
            engine.state.add(pendingRecordZoneChanges: Set(open).map { .saveRecord($0) })
        }

        func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
            model.withLock { model in
                switch event {
                case .fetchedDatabaseChanges(let event):
                    model.zones.formUnion(event.modifications.map(\.zoneID))
                    for zoneID in event.deletions.map(\.zoneID) {
                        model.zones.remove(zoneID)
                        model.secrets = model.secrets.filter { $0.key.zoneID != zoneID }
                    }
                case .fetchedRecordZoneChanges(let event):
                    for record in event.modifications.map(\.record) {
                        model.known[record.recordID] = record
                        model.secrets[record.recordID] = record.encryptedValues["secret"] as? String
                    }
                    for recordID in event.deletions.map(\.recordID) { model.secrets[recordID] = nil }
                case .sentRecordZoneChanges(let event):
                    for record in event.savedRecords { model.known[record.recordID] = record }
                default: break
                }
            }
            log.add(event)
        }

        func nextRecordZoneChangeBatch(
            _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
        ) async -> CKSyncEngine.RecordZoneChangeBatch? {
            let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
            guard !changes.isEmpty else { return nil }
            let before = beforeBatch.withLock { before in
                defer { before = nil }
                return before
            }
            await before?()
            return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
                let (secret, known) = self.model.withLock { ($0.secrets[recordID], $0.known[recordID]) }
                guard let secret else { return nil }
                let record =
                    known.flatMap { $0.copy() as? CKRecord } ?? CKRecord(recordType: "Note", recordID: recordID)
                record.encryptedValues["secret"] = secret
                if known == nil {
                    record.setParent(CKRecord.ID(recordName: "root", zoneID: recordID.zoneID))
                }
                return record
            }
        }

        func send() async throws { try await engine.sendChanges() }
        func fetch() async throws { try await engine.fetchChanges() }
        func sendFailures() async -> [CKError.Code] {
            let before = log.events.compactMap(\.sentRecords).flatMap(\.failedRecordSaves).count
            _ = await code { try await self.send() }
            return log.events.compactMap(\.sentRecords).flatMap(\.failedRecordSaves).dropFirst(before).map(
                \.error.code)
        }
    }

    @Test("a zone comes by acceptance, is edited from both sides, and goes", arguments: Door.allCases)
    func bothWays(door: Door) async throws {
        let world = try await SharedWorld(door, accepts: false)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        let app = SharedApp(bob.shared)
        try await app.fetch()
        #expect(app.zones.isEmpty)
        try await bob.accept(world.share.url)
        try await app.fetch()
        #expect(app.zones == [world.shared] && app.secrets == ["root": "of the root"])
        app.edit(world.id("root", world.shared), "changed by Bob")
        app.edit(world.id("b", world.shared), "of Bob")
        try await app.send()
        #expect(try await world.secret("root", ada.own) == "changed by Bob")
        #expect(try await world.secret("b", ada.own) == "of Bob")
        try await ada.own.save(world.child("a", "of Ada"))
        try await ada.own.deleteRecord(withID: world.id("b"))
        try await app.fetch()
        #expect(app.secrets == ["root": "changed by Bob", "a": "of Ada"])
        // The key is replaced meanwhile; neither side notices.
        try await world.trio.carol.accept(world.share.url)
        try await world.remove(world.trio.carol)
        try await ada.own.save(world.child("a2", "after Carol"))
        app.edit(world.id("b2", world.shared), "after Carol, too")
        try await app.send()
        try await app.fetch()
        #expect(app.secrets["a2"] == "after Carol")
        #expect(try await world.secret("b2", ada.own) == "after Carol, too")
        try await world.remove(bob)
        try await app.fetch()
        #expect(app.zones.isEmpty && app.secrets.isEmpty)
        let gone = app.log.events.compactMap(\.fetchedZones).flatMap(\.deletions)
        #expect(gone.map(\.zoneID) == [world.shared] && gone.first?.reason == .deleted)
    }

    @Test("removed between two batches of a send", arguments: Door.allCases)
    func removedWhileSending(door: Door) async throws {
        let world = try await SharedWorld(door)
        let (ada, bob) = (world.trio.ada, world.trio.bob)
        let app = SharedApp(bob.shared)
        try await app.fetch()
        app.edit(world.id("b", world.shared), "of Bob")
        app.beforeBatch.withLock { before in
            before = {
                do { try await world.remove(bob) } catch { Issue.record(error) }
            }
        }
        #expect(await app.sendFailures() == [.zoneNotFound])
        #expect(await code { _ = try await ada.own.record(for: world.id("b")) } == .unknownItem)
        try await app.fetch()
        #expect(app.zones.isEmpty && app.secrets.isEmpty)
    }

    @Test("what one may not do is told, and what waits for keys is sent when they are there", arguments: Door.allCases)
    func refusals(door: Door) async throws {
        let world = try await SharedWorld(door, carol: .readOnly)
        let carol = SharedApp(world.trio.carol.shared)
        try await carol.fetch()
        carol.edit(world.id("root", world.shared), "changed by Carol")
        #expect(await carol.sendFailures() == [.permissionFailure])
        #expect(try await world.secret("root", world.trio.ada.own) == "of the root")
        #expect(carol.engine.state.pendingRecordZoneChanges.isEmpty, "for the app to decide")

        let bob = SharedApp(world.trio.bob.shared)
        try await bob.fetch()
        try await world.remove(world.trio.carol, by: world.trio.ada.again(MemoryKeyStore()))
        bob.edit(world.id("root", world.shared), "changed by Bob")
        #expect(await bob.sendFailures().allSatisfy { $0 == .accountTemporarilyUnavailable })
        #expect(try await world.secret("root", world.trio.ada.own) == "of the root")
        // The share reaches a device of Ada's, which replaces the keys.
        _ = try await world.current()
        bob.retry()
        try await bob.send()
        #expect(try await world.secret("root", world.trio.ada.own) == "changed by Bob")
    }

    @Test("a feed waits for the link's secret, and leaves nothing out", arguments: Door.allCases)
    func bareLink(door: Door) async throws {
        let world = try await SharedWorld(door, accepts: false)
        let bob = world.trio.bob
        let url = try #require(world.share.url)
        let bare = try #require(URL(string: String(url.absoluteString.prefix { $0 != "#" })))
        try await bob.accept(bare)
        let app = SharedApp(bob.shared)
        _ = await code { try await app.fetch() }
        #expect(app.secrets.isEmpty)
        try await bob.accept(url)
        try await app.fetch()
        #expect(app.secrets == ["root": "of the root"])
    }
}
