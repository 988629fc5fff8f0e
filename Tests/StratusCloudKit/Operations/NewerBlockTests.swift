import CloudKit
import StratusTestSupport
import StratusTesting
import StratusWorkers
import Testing

/// Operations that have a block in a newer and in an older form: the newer one is told.
@Suite struct NewerBlockTests {
    private let database: CKDatabase
    private let zoneID: CKRecordZone.ID
    private let diary = Diary()

    init() async throws {
        database = try await LocalCloud().account("ada").container.privateCloudDatabase
        zoneID = try await database.save(CKRecordZone(zoneName: "Notes")).zoneID
        try await database.save(note("a", in: zoneID))
    }

    @Test func changes() async throws {
        let both = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID])
        both.recordWasChangedBlock = { [diary] in diary.note("\($0.recordName) \($1.isSuccess)") }
        both.recordChangedBlock = { [diary] _ in diary.note("older") }
        both.recordZoneFetchResultBlock = { [diary] in diary.note("\($0.zoneName) \($1.isSuccess)") }
        both.recordZoneFetchCompletionBlock = { [diary] _, _, _, _, _ in diary.note("older") }
        both.fetchRecordZoneChangesResultBlock = { [diary] in diary.note("\($0.isSuccess)") }
        both.fetchRecordZoneChangesCompletionBlock = { [diary] _ in diary.note("older") }
        await end(of: both) { _ in database.add(both) }
        #expect(diary.text == ["a true", "Notes true", "true"])
        let older = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID])
        older.recordChangedBlock = { [diary] in diary.note("older \($0.recordID.recordName)") }
        await end(of: older) { _ in database.add(older) }
        #expect(diary.text.suffix(1) == ["older a"])
    }

    @Test func queries() async throws {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let both = CKQueryOperation(query: query)
        both.zoneID = zoneID
        both.recordMatchedBlock = { [diary] in diary.note("\($0.recordName) \($1.isSuccess)") }
        both.recordFetchedBlock = { [diary] _ in diary.note("older") }
        both.queryResultBlock = { [diary] in diary.note("\($0.isSuccess)") }
        both.queryCompletionBlock = { [diary] _, _ in diary.note("older") }
        await end(of: both) { _ in database.add(both) }
        #expect(diary.text == ["a true", "true"])
    }

    @Test func fetches() async throws {
        let both = CKFetchRecordsOperation(recordIDs: [.init(recordName: "a", zoneID: zoneID)])
        both.perRecordResultBlock = { [diary] in diary.note("\($0.recordName) \($1.isSuccess)") }
        both.perRecordCompletionBlock = { [diary] _, _, _ in diary.note("older") }
        both.fetchRecordsResultBlock = { [diary] in diary.note("\($0.isSuccess)") }
        both.fetchRecordsCompletionBlock = { [diary] _, _ in diary.note("older") }
        await end(of: both) { _ in database.add(both) }
        #expect(diary.text == ["a true", "true"])
    }

    @available(*, deprecated, message: "It is about a deprecated name.")
    @Test func optionsAreTheConfigurations() async throws {
        let token = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
        try await database.save(note("b", in: zoneID))
        let options = CKFetchRecordZoneChangesOperation.ZoneOptions(previousServerChangeToken: token, desiredKeys: [])
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneID])
        operation.optionsByRecordZoneID = [zoneID: options]
        #expect(operation.configurationsByRecordZoneID?[zoneID]?.previousServerChangeToken == token)
        #expect(operation.optionsByRecordZoneID?[zoneID]?.desiredKeys == [])
        operation.recordChangedBlock = { [diary] in diary.note("\($0.recordID.recordName) \($0.allKeys())") }
        await end(of: operation) { _ in database.add(operation) }
        #expect(diary.text == ["b []"])
    }

    @Test("progress of a fetch goes up to one, for the record that has a file") func progress() async throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/file")
        try Data(count: 9_000_000).write(to: url)
        let record = note("file", in: zoneID)
        record["file"] = CKAsset(fileURL: url)
        try await database.save(record)
        let seen = Lock<[CKRecord.ID: [Double]]>([:])
        let operation = CKFetchRecordsOperation(recordIDs: [record.recordID])
        operation.perRecordProgressBlock = { recordID, share in
            seen.withLock { $0[recordID, default: []].append(share) }
        }
        operation.perRecordResultBlock = { [diary] in diary.note("\($1.isSuccess) \($0.recordName)") }
        await end(of: operation) { _ in database.add(operation) }
        let shares = try #require(seen.withLock { $0 }[record.recordID])
        #expect(shares == shares.sorted() && shares.last == 1 && shares.allSatisfy { $0 > 0 })
        #expect(seen.withLock { $0.count } == 1 && diary.text == ["true file"])
    }

    @Test("progress of a fetch is told of every record that is found, with or without a file")
    func progressWithoutFiles() async throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/empty")
        try Data().write(to: url)
        let empty = note("empty", in: zoneID)
        empty["file"] = CKAsset(fileURL: url)
        try await database.save(note("b", in: zoneID))
        let absent = CKRecord.ID(recordName: "absent", zoneID: zoneID)
        func shares(_ recordIDs: [CKRecord.ID]) async -> [String: [Double]] {
            let seen = Lock<[String: [Double]]>([:])
            let operation = CKFetchRecordsOperation(recordIDs: recordIDs)
            operation.perRecordProgressBlock = { recordID, share in
                seen.withLock { $0[recordID.recordName, default: []].append(share) }
            }
            await end(of: operation) { _ in database.add(operation) }
            return seen.withLock { $0 }
        }
        let recordIDs = ["a", "b"].map { CKRecord.ID(recordName: $0, zoneID: zoneID) }
        #expect(await shares(recordIDs + [absent]) == ["a": [1], "b": [1]])
        // Beside one with a file, even an empty one.
        try await database.save(empty)
        let all = await shares(recordIDs + [empty.recordID])
        #expect(all["a"] == [1] && all["b"] == [1] && all["empty"]?.last == 1)
    }
}
