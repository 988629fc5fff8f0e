import CloudKit

/// The first generation of blocks and calls, as in programs written for iOS 8 to 14. Compiled, not run.
enum OlderBlocks {
    static func changes(_ database: CKDatabase, _ zoneIDs: [CKRecordZone.ID], completion: @escaping (Error?) -> Void) {
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
        var changed: [CKRecordZone.ID] = []
        operation.fetchAllChanges = true
        operation.recordZoneWithIDChangedBlock = { changed.append($0) }
        operation.recordZoneWithIDWasDeletedBlock = { zoneID in changed.removeAll { $0 == zoneID } }
        operation.fetchDatabaseChangesCompletionBlock = { token, _, error in
            if let error = error as? CKError, error.code == .changeTokenExpired { return completion(nil) }
            fetch(database, changed, completion: completion)
        }
        operation.qualityOfService = .userInitiated
        database.add(operation)
    }

    private static func fetch(
        _ database: CKDatabase, _ zoneIDs: [CKRecordZone.ID], completion: @escaping (Error?) -> Void
    ) {
        var options = [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneOptions]()
        for zoneID in zoneIDs {
            let zoneOptions = CKFetchRecordZoneChangesOperation.ZoneOptions()
            zoneOptions.previousServerChangeToken = nil
            options[zoneID] = zoneOptions
        }
        let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: zoneIDs, configurationsByRecordZoneID: options)
        operation.recordChangedBlock = { record in print(record) }
        operation.recordWithIDWasDeletedBlock = { recordID, _ in print(recordID) }
        operation.recordZoneFetchCompletionBlock = { _, token, _, _, error in
            guard error == nil else { return completion(error) }
            print(token as Any)
        }
        operation.fetchRecordZoneChangesCompletionBlock = { error in completion(error) }
        database.add(operation)
    }

    static func save(_ records: [CKRecord], _ database: CKDatabase, retry: @escaping ([CKRecord]) -> Void) {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.savePolicy = .changedKeys
        operation.perRecordCompletionBlock = { record, error in
            if let error = error { print(record.recordID.recordName, (error as NSError).code) }
        }
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            guard let error = error as? CKError else { return }
            switch error.code {
            case .serviceUnavailable, .requestRateLimited, .zoneBusy:
                let seconds = error.userInfo[CKErrorRetryAfterKey] as? Double ?? 3
                DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { retry(records) }
            case .limitExceeded:
                retry(Array(records[..<(records.count / 2)]))
            case .partialFailure:
                guard let failures = error.partialErrorsByItemID as? [CKRecord.ID: Error] else { return }
                retry(records.filter { failures[$0.recordID] != nil })
            default: break
            }
        }
        database.add(operation)
    }

    static func fetch(_ recordIDs: [CKRecord.ID], _ database: CKDatabase, found: @escaping ([CKRecord]) -> Void) {
        let operation = CKFetchRecordsOperation(recordIDs: recordIDs)
        operation.perRecordCompletionBlock = { record, recordID, error in
            print(record as Any, recordID as Any, error as Any)
        }
        operation.fetchRecordsCompletionBlock = { recordsByID, error in
            if let recordsByID = recordsByID { found(recordIDs.compactMap { recordsByID[$0] }) }
        }
        database.add(operation)
    }

    static func query(_ query: CKQuery, _ database: CKDatabase, found: @escaping ([CKRecord]) -> Void) {
        var records: [CKRecord] = []
        func run(_ operation: CKQueryOperation) {
            operation.recordFetchedBlock = { record in records.append(record) }
            operation.queryCompletionBlock = { cursor, error in
                if let cursor = cursor { run(CKQueryOperation(cursor: cursor)) } else { found(records) }
            }
            database.add(operation)
        }
        run(CKQueryOperation(query: query))
        database.perform(query, inZoneWith: nil) { results, error in
            if let results = results { found(results) }
        }
    }
}
