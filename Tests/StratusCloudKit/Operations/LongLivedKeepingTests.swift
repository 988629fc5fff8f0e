import CloudKit
import StratusCloudModel
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// What is kept of long-lived operations, for how long, and what is not done twice.
@Suite struct LongLivedKeepingTests: LongLivedTesting {
    let state: TemporaryDirectory

    init() throws { state = try TemporaryDirectory() }

    @Test func itIsThereBeforeAnythingIsSent() async throws {
        let transport = StuckTransport()
        let container = inProcess(transport)
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { diary.note("persisted") }
        operation.modifyRecordsResultBlock = { diary.note("\($0.code?.rawValue ?? 0)") }
        let ended = Task { await end(of: operation) { _ in container.privateCloudDatabase.add(operation) } }
        for await _ in transport.asked { break }
        #expect(diary.text == ["persisted"])
        let ids = try await container.allLongLivedOperationIDs()
        #expect(ids == [operation.operationID])
        // Who runs it here is who is found, and adding it again does nothing.
        let found = try await container.longLivedOperation(for: ids[0])
        #expect(found === operation)
        container.add(operation)
        // Another process, with a store of its own, sees that it is in hand.
        let other = inProcess(StuckTransport())
        #expect(try await other.allLongLivedOperationIDs().isEmpty)
        #expect(try await other.longLivedOperation(for: ids[0]) == nil)
        operation.cancel()
        await ended.value
        #expect(diary.text == ["persisted", "20"])
        #expect(try await container.allLongLivedOperationIDs().isEmpty, "cancelled is forgotten")
    }

    @Test func othersAreNotKept() async throws {
        let container = inProcess(NoTransport(failure: .unreachable("x")))
        let diary = Diary()
        let operation = CKModifyRecordsOperation(recordsToSave: [note("a")])
        operation.longLivedOperationWasPersistedBlock = { diary.note("persisted") }
        await end(of: operation) { _ in container.privateCloudDatabase.add(operation) }
        #expect(diary.text.isEmpty)
        #expect(try await container.allLongLivedOperationIDs().isEmpty)
    }

    @Test(arguments: ["not-a-name", "", "../x", "00000000-0000-0000-0000-000000000000"])
    func unknownNamesAreNothing(_ id: String) async throws {
        #expect(try await inProcess(StuckTransport()).longLivedOperation(for: id) == nil)
    }

    @Test(
        "A zone that was made since is not deleted, and one that was deleted since is not made",
        arguments: Door.allCases)
    func zonesAreModifiedOnce(_ door: Door) async throws {
        let app = try await door.open()
        let name = app.alice.source.connection.containerIdentifier
        let container = CKContainer(
            identifier: name, transport: app.alice.source.connection.transport, keyStore: keys,
            stateDirectory: state.path)
        let database = container.privateCloudDatabase
        let (old, new) = (CKRecordZone(zoneName: "Old"), CKRecordZone(zoneName: "New"))
        try await database.save(old)
        let operation = CKModifyRecordZonesOperation(recordZonesToSave: [new], recordZoneIDsToDelete: [old.zoneID])
        try await runAndDie(operation, database, isFinishing: false)
        try await database.save(old)
        try await database.save(note("precious", in: old.zoneID))
        _ = try await database.deleteRecordZone(withID: new.zoneID)

        let found = try await container.longLivedOperation(for: operation.operationID)
        let resumed = try #require(found as? CKModifyRecordZonesOperation)
        let diary = Diary()
        resumed.perRecordZoneDeleteBlock = { diary.note("\($0.zoneName) \($1.isSuccess)") }
        resumed.perRecordZoneSaveBlock = { diary.note("\($0.zoneName) \($1.code?.rawValue ?? 0)") }
        await end(of: resumed) { _ in database.add(resumed) }
        #expect(diary.text == ["New 26", "Old true"])
        _ = try await database.record(for: CKRecord.ID(recordName: "precious", zoneID: old.zoneID))
        #expect(try await database.recordZones(for: [new.zoneID])[new.zoneID]?.isSuccess == false)
    }

    @Test("A subscription that was saved since is not deleted", arguments: Door.allCases)
    func subscriptionsAreDeletedOnce(_ door: Door) async throws {
        let app = try await door.open()
        let container = CKContainer(
            identifier: app.alice.source.connection.containerIdentifier,
            transport: app.alice.source.connection.transport, keyStore: keys, stateDirectory: state.path)
        let database = container.privateCloudDatabase
        try await database.save(CKDatabaseSubscription(subscriptionID: "s"))
        let operation = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["s", "none"])
        try await runAndDie(operation, database, isFinishing: false)
        try await database.save(CKDatabaseSubscription(subscriptionID: "s"))

        let found = try await container.longLivedOperation(for: operation.operationID)
        let resumed = try #require(found as? CKModifySubscriptionsOperation)
        let diary = Diary()
        resumed.perSubscriptionDeleteBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
        await end(of: resumed) { _ in database.add(resumed) }
        #expect(diary.text == ["s 0", "none 11"])
        #expect(try await database.allSubscriptions().map(\.subscriptionID) == ["s"])
    }

    @Test("What is kept cannot be read on the disk, or with another key, and damage ends nothing")
    func sealed() async throws {
        let app = try await Door.inProcess.open()
        let transport = app.alice.source.connection.transport
        let container = inProcess(transport)
        let record = note("a", "plain title")
        record.encryptedValues["secret"] = "secret words"
        try await container.privateCloudDatabase.save(record)
        record["title"] = "another title"
        try await runAndDie(CKModifyRecordsOperation(recordsToSave: [record]), container.privateCloudDatabase)
        let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID])
        try await runAndDie(fetch, container.privateCloudDatabase)

        let directory = state.path + "/operations"
        for file in try FileManager.default.subpathsOfDirectory(atPath: directory) {
            guard let bytes = try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + file)) else { continue }
            for word in ["secret words", "another title", "plain title", "Note"] {
                for encoding in [String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian] {
                    #expect(bytes.range(of: try #require(word.data(using: encoding))) == nil, "\(word) in \(file)")
                }
            }
        }
        let others = CKContainer(
            identifier: "iCloud.x", transport: transport, keyStore: MemoryKeyStore(), stateDirectory: state.path)
        #expect(try await others.longLivedOperation(for: fetch.operationID) == nil)
        #expect(try await inProcess(transport).longLivedOperation(for: fetch.operationID) is CKFetchRecordsOperation)
        for damage in [Data(), Data([1, 2, 3]), Data(repeating: 7, count: 200)] {
            try damage.write(to: URL(fileURLWithPath: "\(directory)/\(fetch.operationID)/operation"))
            #expect(try await inProcess(transport).longLivedOperation(for: fetch.operationID) == nil)
        }
    }

    @Test func resultsAreKeptForADayAndTasksForAWeek() async throws {
        let app = try await Door.inProcess.open()
        let transport = app.alice.source.connection.transport
        let container = inProcess(transport)
        let finished = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        try await runAndDie(finished, container.privateCloudDatabase)
        let waiting = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
        waiting.database = container.privateCloudDatabase
        waiting.configuration.isLongLived = true
        #expect(try await waiting.beginLongLived() == nil)
        waiting.kept = nil
        func ids(after seconds: TimeInterval) -> [CKOperation.ID] {
            OperationStore(
                directory: state.path + "/operations", keys: keys, now: { Date(timeIntervalSinceNow: seconds) }
            ).operationIDs()
        }
        let minute = 60.0
        #expect(
            Set(ids(after: OperationStore.finishedLifetime - minute)) == [finished.operationID, waiting.operationID])
        #expect(ids(after: OperationStore.finishedLifetime + minute) == [waiting.operationID])
        #expect(ids(after: OperationStore.unfinishedLifetime - minute) == [waiting.operationID])
        #expect(ids(after: OperationStore.unfinishedLifetime + minute).isEmpty)
    }

    @Test func theFileOfAnAssetIsKeptAsItWas() async throws {
        let app = try await Door.http.open()
        let transport = app.alice.source.connection.transport
        let name = app.alice.source.connection.containerIdentifier
        let container = CKContainer(
            identifier: name, transport: transport, keyStore: keys, stateDirectory: state.path)
        let file = URL(fileURLWithPath: state.path + "/picture")
        try Data("before".utf8).write(to: file)
        let record = note("pictured")
        record["picture"] = CKAsset(fileURL: file)
        record["pictures"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
        let operation = CKModifyRecordsOperation(recordsToSave: [record])
        operation.configuration.isLongLived = true
        operation.longLivedOperationWasPersistedBlock = { try? Data("after".utf8).write(to: file) }
        try await finish(operation, in: container.privateCloudDatabase)
        let saved = try await container.privateCloudDatabase.record(for: record.recordID)
        let asset = try #require(saved["picture"] as? CKAsset)
        #expect(try Data(contentsOf: #require(asset.fileURL)) == Data("before".utf8))
        #expect((saved["pictures"] as? [CKAsset])?.count == 2)
    }
}
