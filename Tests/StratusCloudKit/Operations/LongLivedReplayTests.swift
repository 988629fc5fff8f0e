import CloudKit
import StratusCloudModel
import StratusTestSupport
import Testing

@testable import StratusCloudKit

/// What long-lived operations tell a second time.
@Suite struct LongLivedReplayTests: LongLivedTesting {
    let state: TemporaryDirectory

    init() throws { state = try TemporaryDirectory() }

    @Test("The files of fetched assets are there when the results are told again", arguments: [false, true])
    func fetchedFilesAreKept(_ isQuery: Bool) async throws {
        let app = try await Door.http.open()
        let name = app.alice.source.connection.containerIdentifier
        func container() -> CKContainer {
            CKContainer(
                identifier: name, transport: app.alice.source.connection.transport, keyStore: keys,
                stateDirectory: state.path)
        }
        let database = container().privateCloudDatabase
        let file = URL(fileURLWithPath: state.path + "/picture")
        try Data("bytes".utf8).write(to: file)
        let record = note("pictured")
        record["picture"] = CKAsset(fileURL: file)
        record["pictures"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
        try await database.save(record)
        var fetched: [CKAsset] = []
        func listen(_ operation: CKDatabaseOperation) {
            let take = { (_: CKRecord.ID, result: Result<CKRecord, any Error>) in
                let record = try? result.get()
                fetched = [record?["picture"] as? CKAsset].compactMap { $0 } + (record?["pictures"] as? [CKAsset] ?? [])
                #expect(record?.changedKeys() == [])
            }
            (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = take
            (operation as? CKQueryOperation)?.recordMatchedBlock = take
        }
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == 'Hi'"))
        let operation: CKDatabaseOperation =
            isQuery ? CKQueryOperation(query: query) : CKFetchRecordsOperation(recordIDs: [record.recordID])
        listen(operation)
        try await runAndDie(operation, database)
        #expect(fetched.count == 3)
        // Equal bytes are fetched once.
        for url in Set(fetched.compactMap(\.fileURL)) { try FileManager.default.removeItem(at: url) }
        fetched = []

        let again = container()
        let id = operation.operationID
        let found = try #require(try await again.longLivedOperation(for: id) as? CKDatabaseOperation)
        listen(found)
        await end(of: found) { _ in again.add(found) }
        #expect(fetched.count == 3)
        for asset in fetched {
            let url = try #require(asset.fileURL)
            #expect(try Data(contentsOf: url) == Data("bytes".utf8))
            #expect(!url.path.hasPrefix(state.path), "what was kept is gone")
            try FileManager.default.removeItem(at: url)
        }
        #expect(!FileManager.default.fileExists(atPath: "\(state.path)/operations/\(id)"))
    }

    @Test("All kinds tell from what was kept what they told at once", arguments: Door.allCases)
    func replays(_ door: Door) async throws {
        let app = try await door.open()
        let directory = try TemporaryDirectory()
        let transport = app.alice.source.connection.transport
        let name = app.alice.source.connection.containerIdentifier
        func container() -> CKContainer {
            CKContainer(identifier: name, transport: transport, keyStore: keys, stateDirectory: directory.path)
        }
        let database = container().privateCloudDatabase
        let zoneID = try await database.save(CKRecordZone(zoneName: "Kept")).zoneID
        try await database.save(note("there", in: zoneID))
        let subscription = CKDatabaseSubscription(subscriptionID: "s")
        for (operation, listen) in Self.operations(zoneID, subscription) {
            let first = Diary()
            listen(operation, first)
            try await runAndDie(operation, database)
            let again = container()
            let ids = try await again.allLongLivedOperationIDs()
            try #require(ids == [operation.operationID], "\(type(of: operation))")
            let found = try #require(try await again.longLivedOperation(for: ids[0]) as? CKDatabaseOperation)
            #expect(type(of: found) == type(of: operation))
            let second = Diary()
            listen(found, second)
            await end(of: found) { _ in again.add(found) }
            #expect(second.text == first.text && !first.text.isEmpty, "\(type(of: operation))")
        }
    }

    /// Operations of all kinds, and how to hear what they tell of their items.
    private static func operations(
        _ zoneID: CKRecordZone.ID, _ subscription: CKSubscription
    ) -> [(CKDatabaseOperation, (CKDatabaseOperation, Diary) -> Void)] {
        func name(_ recordID: CKRecord.ID) -> String { "\(recordID.zoneID.zoneName)/\(recordID.recordName)" }
        func what(_ result: Result<CKRecord, any Error>) -> String {
            switch result {
            case .success(let record): "\(record.recordChangeTag ?? "") \(record["title"] as? String ?? "")"
            case .failure(let error as CKError):
                "\(error.code.rawValue) \(error.localizedDescription) \(error.serverRecord?.recordChangeTag ?? "")"
            case .failure(let error): "\(error)"
            }
        }
        let there = CKRecord.ID(recordName: "there", zoneID: zoneID)
        let modify = CKModifyRecordsOperation(
            recordsToSave: [note("new", in: zoneID), note("there", in: zoneID, "other")],
            recordIDsToDelete: [CKRecord.ID(recordName: "gone", zoneID: zoneID)])
        modify.isAtomic = false
        let query = CKQueryOperation(query: CKQuery(recordType: "Note", predicate: NSPredicate(value: true)))
        query.zoneID = zoneID
        query.desiredKeys = ["title"]
        let changes = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID, CKRecordZone.ID(zoneName: "Missing")],
            configurationsByRecordZoneID: [zoneID: .init(desiredKeys: ["title"])])
        return [
            (
                modify,
                { operation, diary in
                    (operation as? CKModifyRecordsOperation)?.perRecordSaveBlock = {
                        diary.note("save \(name($0)) \(what($1))")
                    }
                    (operation as? CKModifyRecordsOperation)?.perRecordDeleteBlock = {
                        diary.note("delete \(name($0)) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKFetchRecordsOperation(recordIDs: [there, CKRecord.ID(recordName: "gone", zoneID: zoneID)]),
                { operation, diary in
                    (operation as? CKFetchRecordsOperation)?.perRecordResultBlock = {
                        diary.note("\(name($0)) \(what($1))")
                    }
                }
            ),
            (
                query,
                { operation, diary in
                    (operation as? CKQueryOperation)?.recordMatchedBlock = { diary.note("\(name($0)) \(what($1))") }
                }
            ),
            (
                changes,
                { operation, diary in
                    let operation = operation as? CKFetchRecordZoneChangesOperation
                    operation?.recordWasChangedBlock = { diary.note("\(name($0)) \(what($1))") }
                    operation?.recordZoneFetchResultBlock = { zoneID, result in
                        diary.note(
                            "\(zoneID.zoneName) \((try? result.get())?.serverChangeToken.hash ?? 0) \(result.code?.rawValue ?? 0)"
                        )
                    }
                }
            ),
            (
                CKFetchDatabaseChangesOperation(),
                { operation, diary in
                    (operation as? CKFetchDatabaseChangesOperation)?.recordZoneWithIDChangedBlock = {
                        diary.note($0.zoneName)
                    }
                }
            ),
            (
                CKModifyRecordZonesOperation(recordZonesToSave: [CKRecordZone(zoneName: "Another")]),
                { operation, diary in
                    (operation as? CKModifyRecordZonesOperation)?.perRecordZoneSaveBlock = {
                        diary.note("\($0.zoneName) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKFetchRecordZonesOperation.fetchAllRecordZonesOperation(),
                { operation, diary in
                    (operation as? CKFetchRecordZonesOperation)?.perRecordZoneResultBlock = {
                        diary.note("\($0.zoneName) \($1.isSuccess)")
                    }
                }
            ),
            (
                CKModifySubscriptionsOperation(subscriptionsToSave: [subscription], subscriptionIDsToDelete: ["none"]),
                { operation, diary in
                    let operation = operation as? CKModifySubscriptionsOperation
                    operation?.perSubscriptionSaveBlock = { diary.note("\($0) \($1.isSuccess)") }
                    operation?.perSubscriptionDeleteBlock = { diary.note("\($0) \($1.code?.rawValue ?? 0)") }
                }
            ),
            (
                CKFetchSubscriptionsOperation(subscriptionIDs: ["s", "none"]),
                { operation, diary in
                    (operation as? CKFetchSubscriptionsOperation)?.perSubscriptionResultBlock = {
                        diary.note("\($0) \((try? $1.get()).map { "\(type(of: $0))" } ?? "")")
                    }
                }
            ),
        ]
    }
}
