import CloudKit

/// Operations on records as programs write them. Compiled, not run.
enum RecordOperationSurface {
    static func modify(_ record: CKRecord, _ database: CKDatabase) {
        let operation = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
        operation.savePolicy = .changedKeys
        operation.isAtomic = false
        operation.clientChangeTokenData = Data()
        operation.recordsToSave = [record]
        operation.recordIDsToDelete = []
        operation.perRecordProgressBlock = { record, progress in print(record.recordID, progress) }
        operation.perRecordSaveBlock = { recordID, result in
            switch result {
            case .success(let record): print(record)
            case .failure(let error as CKError) where error.code == .serverRecordChanged: print(recordID)
            case .failure(let error): print(error)
            }
        }
        operation.perRecordDeleteBlock = { recordID, result in
            if case .failure(let error) = result { print(recordID, error) }
        }
        operation.modifyRecordsResultBlock = { result in
            do { try result.get() } catch { print(error) }
        }
        operation.completionBlock = { print("done") }
        database.add(operation)
        database.add(CKModifyRecordsOperation(recordsToSave: [record]))
        database.add(CKModifyRecordsOperation(recordIDsToDelete: [record.recordID]))
        database.add(CKModifyRecordsOperation())
    }

    @available(*, deprecated)
    static func modifyAsBefore(_ operation: CKModifyRecordsOperation) {
        operation.perRecordCompletionBlock = { record, error in print(record, error as Any) }
        operation.modifyRecordsCompletionBlock = { saved, deleted, error in
            guard let error = error as? CKError, error.code == .partialFailure else { return }
            for (key, value) in error.partialErrorsByItemID ?? [:] { print(key as? CKRecord.ID as Any, value) }
            print(saved?.count ?? 0, deleted?.count ?? 0)
        }
    }

    static func fetch(_ recordID: CKRecord.ID) -> CKOperation {
        let operation = CKFetchRecordsOperation(recordIDs: [recordID])
        operation.desiredKeys = ["title"]
        operation.perRecordProgressBlock = { recordID, progress in print(recordID, progress) }
        operation.perRecordResultBlock = { _, result in _ = try? result.get() }
        operation.fetchRecordsResultBlock = { _ in }
        operation.recordIDs = nil
        let user = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
        user.addDependency(operation)
        return user
    }

    @available(*, deprecated)
    static func fetchAsBefore(_ operation: CKFetchRecordsOperation) {
        operation.perRecordCompletionBlock = { record, recordID, error in
            print(record as Any, recordID as Any, error as Any)
        }
        operation.fetchRecordsCompletionBlock = { records, error in print(records?.values.first as Any, error as Any) }
    }

    @available(*, deprecated)
    static func queryAsBefore(_ operation: CKQueryOperation) {
        var found: [CKRecord] = []
        operation.recordFetchedBlock = { record in found.append(record) }
        operation.queryCompletionBlock = { cursor, error in print(found.count, cursor as Any, error as Any) }
    }
}
