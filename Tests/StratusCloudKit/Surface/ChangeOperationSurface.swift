import CloudKit

/// Change feeds as programs read them. Compiled, not run.
enum ChangeOperationSurface {
    static func database(_ token: CKServerChangeToken?) -> CKDatabaseOperation {
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
        operation.previousServerChangeToken = nil
        operation.resultsLimit = 100
        operation.fetchAllChanges = true
        operation.qualityOfService = .userInitiated
        operation.recordZoneWithIDChangedBlock = { zoneID in print(zoneID.zoneName) }
        operation.recordZoneWithIDWasDeletedBlock = { zoneID in print(zoneID) }
        operation.recordZoneWithIDWasPurgedBlock = { zoneID in print(zoneID) }
        operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = { zoneID in print(zoneID) }
        operation.changeTokenUpdatedBlock = { token in print(token) }
        operation.fetchDatabaseChangesResultBlock = { result in
            switch result {
            case .success(let (token, moreComing)): print(token, moreComing)
            case .failure(let error): print(error)
            }
        }
        return operation
    }

    @available(*, deprecated)
    static func databaseAsBefore() -> CKDatabaseOperation {
        let operation = CKFetchDatabaseChangesOperation()
        operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
            if error == nil { print(token as Any, moreComing) }
        }
        return operation
    }

    static func zones(_ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?) -> CKDatabaseOperation {
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        configuration.previousServerChangeToken = token
        configuration.resultsLimit = 10
        configuration.desiredKeys = ["title"]
        let other = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: token, resultsLimit: nil, desiredKeys: nil)
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: configuration])
        operation.configurationsByRecordZoneID?[zoneID] = other
        operation.recordZoneIDs = [zoneID]
        operation.fetchAllChanges = false
        operation.recordWasChangedBlock = { recordID, result in print(recordID, result) }
        operation.recordWithIDWasDeletedBlock = { recordID, recordType in print(recordID, recordType) }
        operation.recordZoneChangeTokensUpdatedBlock = { zoneID, token, data in print(zoneID, token as Any, data as Any)
        }
        operation.recordZoneFetchResultBlock = { zoneID, result in
            switch result {
            case .success((let token, let data, let moreComing)): print(zoneID, token, data as Any, moreComing)
            case .failure(let error):
                if (error as? CKError)?.code == .changeTokenExpired { print(zoneID) }
            }
        }
        operation.fetchRecordZoneChangesResultBlock = { result in print(result) }
        return operation
    }

    @available(*, deprecated)
    static func zonesAsBefore(_ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?) -> CKDatabaseOperation {
        let options = CKFetchRecordZoneChangesOperation.ZoneOptions()
        options.previousServerChangeToken = token
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [zoneID], optionsByRecordZoneID: [zoneID: options])
        operation.optionsByRecordZoneID = [zoneID: options]
        operation.recordChangedBlock = { record in print(record) }
        operation.recordZoneFetchCompletionBlock = { zoneID, token, data, moreComing, error in
            print(zoneID, token as Any, data as Any, moreComing, error as Any)
        }
        operation.fetchRecordZoneChangesCompletionBlock = { error in print(error as Any) }
        return operation
    }

    @available(*, deprecated)
    static func oneZone(_ zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?) -> CKDatabaseOperation {
        let operation = CKFetchRecordChangesOperation(recordZoneID: zoneID, previousServerChangeToken: token)
        operation.desiredKeys = ["title"]
        operation.resultsLimit = 10
        operation.recordChangedBlock = { record in print(record) }
        operation.recordWithIDWasDeletedBlock = { recordID in print(recordID) }
        operation.fetchRecordChangesCompletionBlock = { [weak operation] token, data, error in
            print(token as Any, data as Any, error as Any, operation?.moreComing ?? false)
        }
        operation.recordZoneID = zoneID
        operation.previousServerChangeToken = nil
        return operation
    }
}
