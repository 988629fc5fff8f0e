import CloudKit
import StratusWorkers
import Testing

/// Operations that have nothing to do, and those of somebody without an account.
@Suite struct EmptyOperationTests {
    private let results = Lock<[Result<Void, any Error>]>([])

    private var tell: @Sendable (Result<Void, any Error>) -> Void {
        { [results] result in results.withLock { $0.append(result) } }
    }

    private var ofDatabase: [CKDatabaseOperation] {
        let save = CKModifyRecordsOperation(recordsToSave: [], recordIDsToDelete: [])
        save.modifyRecordsResultBlock = tell
        let saveNone = CKModifyRecordsOperation()
        saveNone.modifyRecordsResultBlock = tell
        let fetch = CKFetchRecordsOperation(recordIDs: [])
        fetch.fetchRecordsResultBlock = tell
        let zones = CKModifyRecordZonesOperation(recordZonesToSave: [], recordZoneIDsToDelete: nil)
        zones.modifyRecordZonesResultBlock = tell
        let fetchZones = CKFetchRecordZonesOperation(recordZoneIDs: [])
        fetchZones.fetchRecordZonesResultBlock = tell
        let subscriptions = CKModifySubscriptionsOperation(subscriptionsToSave: [], subscriptionIDsToDelete: [])
        subscriptions.modifySubscriptionsResultBlock = tell
        let fetchSubscriptions = CKFetchSubscriptionsOperation(subscriptionIDs: [])
        fetchSubscriptions.fetchSubscriptionsResultBlock = tell
        let changes = CKFetchRecordZoneChangesOperation(recordZoneIDs: [], configurationsByRecordZoneID: [:])
        changes.fetchRecordZoneChangesResultBlock = tell
        return [save, saveNone, fetch, zones, fetchZones, subscriptions, fetchSubscriptions, changes]
    }

    private var ofContainer: [CKOperation] {
        let accept = CKAcceptSharesOperation(shareMetadatas: [])
        accept.acceptSharesResultBlock = tell
        let metadata = CKFetchShareMetadataOperation(shareURLs: [])
        metadata.fetchShareMetadataResultBlock = tell
        let participants = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [])
        participants.fetchShareParticipantsResultBlock = tell
        let access = CKShareRequestAccessOperation(shareURLs: [])
        access.shareAccessRequestResultBlock = tell
        let people = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: [])
        people.discoverUserIdentitiesResultBlock = tell
        return [accept, metadata, participants, access, people]
    }

    @Test("nothing to do succeeds at once, without network and account", arguments: [true, false])
    func nothing(isSignedIn: Bool) async throws {
        let asked = Lock(0)
        let transport = NoTransport(isSignedIn: isSignedIn, asked: { asked.withLock { $0 += 1 } })
        let container = CKContainer(identifier: "iCloud.a", transport: transport, keyStore: MemoryKeyStore())
        var count = 0
        for scope in [CKDatabase.Scope.public, .private, .shared] {
            for operation in ofDatabase {
                await end(of: operation) { _ in container.database(with: scope).add(operation) }
                count += 1
            }
        }
        for operation in ofContainer {
            await end(of: operation) { _ in container.add(operation) }
            count += 1
        }
        let told = results.withLock { $0 }
        #expect(told.count == count && told.allSatisfy { $0.isSuccess }, "\(told)")
        let results = try await container.privateCloudDatabase.modifyRecords(saving: [], deleting: [])
        #expect(results.saveResults.isEmpty && results.deleteResults.isEmpty && asked.withLock { $0 } == 0)
    }

    @Test("a query operation without a query") func noQuery() async {
        let container = CKContainer(identifier: "iCloud.a", transport: NoTransport(), keyStore: MemoryKeyStore())
        let operation = CKQueryOperation()
        let seen = Lock<CKError.Code?>(nil)
        operation.queryResultBlock = { result in seen.withLock { $0 = result.code } }
        await end(of: operation) { _ in container.publicCloudDatabase.add(operation) }
        #expect(seen.withLock { $0 } == .invalidArguments)
    }

    @Test("without an account", arguments: Door.allCases) func noAccount(_ door: Door) async throws {
        let app = try await door.open()
        let note = note("a")
        try await app.alice.publicCloudDatabase.save(note)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: "_" + String(repeating: "c", count: 32))
        for database in [app.nobody.privateCloudDatabase, app.nobody.sharedCloudDatabase] {
            let zoneID = database.databaseScope == .private ? CKRecordZone.ID(zoneName: "Notes") : zoneID
            let recordID = CKRecord.ID(recordName: "a", zoneID: zoneID)
            let calls: [() async throws -> Void] = [
                { _ = try await database.record(for: recordID) },
                { _ = try await database.records(for: [recordID]) },
                { _ = try await database.deleteRecord(withID: recordID) },
                { _ = try await database.records(matching: query, inZoneWith: zoneID) },
                { _ = try await database.allRecordZones() }, { _ = try await database.allSubscriptions() },
                { _ = try await database.databaseChanges(since: nil) },
                { _ = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil) },
                { _ = try await database.save(CKDatabaseSubscription(subscriptionID: "s")) },
            ]
            for (index, call) in calls.enumerated() {
                #expect(await code(of: call) == .notAuthenticated, "\(database.databaseScope) \(index)")
            }
        }
        // The public database can be read.
        let found = try await app.nobody.publicCloudDatabase.records(for: [note.recordID])
        #expect(found[note.recordID]?.isSuccess == true)
        let refused = await code { try await app.nobody.publicCloudDatabase.deleteRecord(withID: note.recordID) }
        #expect(refused == .notAuthenticated)
    }
}
