import CloudKit
import StratusTesting
import StratusWorkers
import Testing

/// What `CKFetchDatabaseChangesOperation` tells its blocks.
@Suite struct DatabaseChangesOperationTests {
    private func names(_ operation: CKFetchDatabaseChangesOperation, in database: CKDatabase) async -> [String] {
        let diary = Diary()
        operation.recordZoneWithIDChangedBlock = { diary.note("changed \($0.zoneName)") }
        operation.recordZoneWithIDWasDeletedBlock = { diary.note("deleted \($0.zoneName)") }
        await end(of: operation) { _ in database.add(operation) }
        return diary.text.sorted()
    }

    @Test func aPurgeHasABlockOfItsOwn() async throws {
        let cloud = try await LocalCloud()
        let ada = cloud.account("ada")
        let database = ada.container.privateCloudDatabase
        let purged = try await database.save(CKRecordZone(zoneName: "Purged")).zoneID
        let deleted = try await database.save(CKRecordZone(zoneName: "Deleted")).zoneID
        let token = try await database.databaseChanges(since: nil).changeToken
        try await database.deleteRecordZone(withID: deleted)
        try await cloud.purge(zone: purged, of: ada)

        let diary = Diary()
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.recordZoneWithIDWasPurgedBlock = { diary.note($0.zoneName) }
        #expect(await names(operation, in: database) == ["deleted Deleted"])
        #expect(diary.text == ["Purged"])
        // A program that does not know of purges sees a deletion.
        let older = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        #expect(await names(older, in: database) == ["deleted Deleted", "deleted Purged"])
    }

    @Test func eachPageButTheLastTellsItsToken() async throws {
        let cloud = try await LocalCloud(.init(changesPerPage: 2))
        let database = cloud.account("ada").container.privateCloudDatabase
        for number in 0..<5 { try await database.save(CKRecordZone(zoneName: "Z\(number)")) }

        let tokens = Lock<[CKServerChangeToken]>([])
        let last = Lock<CKServerChangeToken?>(nil)
        let diary = Diary()
        let operation = CKFetchDatabaseChangesOperation()
        operation.changeTokenUpdatedBlock = { token in tokens.withLock { $0.append(token) } }
        operation.fetchDatabaseChangesCompletionBlock = { token, more, error in
            last.withLock { $0 = token }
            diary.note("\(more) \(error == nil)")
        }
        #expect(await names(operation, in: database) == (0..<5).map { "changed Z\($0)" })
        let seen = tokens.withLock { $0 }
        let end = try #require(last.withLock { $0 })
        #expect(seen.count >= 2 && !seen.contains(end))
        #expect(diary.text == ["false true"])
        // Where a page ended a later fetch goes on.
        let first = try #require(seen.first)
        let rest = CKFetchDatabaseChangesOperation(previousServerChangeToken: first)
        #expect(await names(rest, in: database).count == 3)
        #expect(await names(CKFetchDatabaseChangesOperation(previousServerChangeToken: end), in: database) == [])
    }

    @Test func onePageSaysThatThereIsMore() async throws {
        let database = try await LocalCloud().account("ada").container.privateCloudDatabase
        for number in 0..<3 { try await database.save(CKRecordZone(zoneName: "Z\(number)")) }
        let diary = Diary()
        let operation = CKFetchDatabaseChangesOperation()
        operation.resultsLimit = 2
        operation.fetchAllChanges = false
        operation.changeTokenUpdatedBlock = { _ in diary.note("page") }
        operation.fetchDatabaseChangesCompletionBlock = { token, more, error in
            diary.note("\(token != nil) \(more) \(error == nil)")
        }
        #expect(await names(operation, in: database).count == 2)
        #expect(diary.text == ["true true true"])
    }

    @Test func anExpiredTokenIsToldInBothForms() async throws {
        let cloud = try await LocalCloud()
        let database = cloud.account("ada").container.privateCloudDatabase
        let token = try await database.databaseChanges(since: nil).changeToken
        cloud.expireChangeTokens()
        let diary = Diary()
        let older = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        older.fetchDatabaseChangesCompletionBlock = { token, more, error in
            diary.note("\(token == nil) \(more) \((error as? CKError)?.code == .changeTokenExpired)")
        }
        await end(of: older) { _ in database.add(older) }
        let newer = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        newer.fetchDatabaseChangesCompletionBlock = { _, _, _ in diary.note("older") }
        newer.fetchDatabaseChangesResultBlock = { diary.note("\($0.code == .changeTokenExpired)") }
        await end(of: newer) { _ in database.add(newer) }
        #expect(diary.text == ["true false true", "true"])
    }
}
