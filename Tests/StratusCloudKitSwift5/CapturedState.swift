import CloudKit

// In the Swift 5 language mode handlers and blocks may capture what they like: variables, objects that are not
// Sendable, and members of the main actor, as a great many programs do. Compiled, not run.

/// Not Sendable, as the classes of most programs.
final class Store {
    var titles: [String] = []
    var token: CKServerChangeToken?
    var lastError: Error?
}

enum CapturedState {
    static func variables(_ database: CKDatabase, _ container: CKContainer, _ record: CKRecord) {
        var count = 0
        var found: [CKRecord] = []
        let store = Store()
        database.fetch(withRecordID: record.recordID) { record, error in
            count += 1
            if let record = record { found.append(record) }
            store.lastError = error
        }
        database.save(record) { saved, error in
            guard let saved = saved, error == nil else { return store.lastError = error }
            store.titles.append(saved["title"] as? String ?? "")
        }
        database.fetch(withQuery: CKQuery(recordType: "Note", predicate: NSPredicate(value: true))) { result in
            if case .success(let page) = result { found += page.matchResults.compactMap { try? $0.1.get() } }
        }
        database.fetchAllRecordZones { zones, _ in count += zones?.count ?? 0 }
        database.fetchAllSubscriptions { subscriptions, _ in count += subscriptions?.count ?? 0 }
        database.modifyRecords(saving: [record], deleting: []) { _ in count += 1 }
        database.fetchDatabaseChanges(since: store.token) { result in store.token = try? result.get().changeToken }
        container.accountStatus { status, error in
            if status == .available { count += 1 }
            store.lastError = error
        }
        container.fetchUserRecordID { recordID, error in
            if let recordID = recordID { store.titles.append(recordID.recordName) }
        }
    }

    static func blocks(_ record: CKRecord, _ zoneID: CKRecordZone.ID) -> [CKDatabaseOperation] {
        var saved: [CKRecord] = []
        let store = Store()
        let modify = CKModifyRecordsOperation(recordsToSave: [record])
        modify.perRecordSaveBlock = { _, result in if case .success(let record) = result { saved.append(record) } }
        modify.modifyRecordsResultBlock = { _ in store.titles = saved.map { $0.recordID.recordName } }
        modify.completionBlock = { store.token = nil }
        let changes = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID],
            configurationsByRecordZoneID: [zoneID: .init(previousServerChangeToken: store.token)])
        changes.recordWasChangedBlock = { recordID, _ in store.titles.append(recordID.recordName) }
        changes.recordZoneChangeTokensUpdatedBlock = { _, token, _ in store.token = token }
        changes.recordZoneFetchResultBlock = { _, result in
            switch result {
            case .success(let (token, _, _)): store.token = token
            case .failure(let error): store.lastError = error
            }
        }
        return [modify, changes]
    }

    static func waiting(_ container: CKContainer) -> CKAccountStatus {
        let semaphore = DispatchSemaphore(value: 0)
        var outcome = CKAccountStatus.couldNotDetermine
        container.accountStatus { status, _ in
            outcome = status
            semaphore.signal()
        }
        semaphore.wait()
        return outcome
    }
}
