import CloudKit

/// Databases as programs use them. Compiled, not run.
enum DatabaseSurface {
    static func records(_ database: CKDatabase, _ record: CKRecord) async throws {
        try await database.save(record)
        let saved: CKRecord = try await database.save(record)
        let fetched = try await database.record(for: saved.recordID)
        try await database.deleteRecord(withID: fetched.recordID)
        let deleted: CKRecord.ID = try await database.deleteRecord(withID: fetched.recordID)
        let all = try await database.records(for: [deleted])
        let some = try await database.records(for: [deleted], desiredKeys: ["title"])
        let records = (Array(all.values) + Array(some.values)).compactMap { try? $0.get() }
        try await database.modifyRecords(saving: records, deleting: [])
        try await database.modifyRecords(saving: records, deleting: [], savePolicy: .changedKeys)
        let (saveResults, deleteResults) = try await database.modifyRecords(
            saving: records, deleting: [deleted], savePolicy: .allKeys, atomically: false)
        for result in saveResults.values {
            if case .failure(let error as CKError) = result, error.code == .serverRecordChanged { throw error }
        }
        for case (let recordID, .success) in deleteResults { print(recordID) }
    }

    static func recordsByHandler(_ database: CKDatabase, _ record: CKRecord) {
        // swift-format-ignore: NeverForceUnwrap
        database.save(record) { record, error in
            if let error = error as? CKError { print(error.code) } else { print(record!.recordID) }
        }
        database.save(record, completionHandler: { _, _ in })
        database.fetch(withRecordID: record.recordID) { record, error in print(record as Any, error as Any) }
        database.delete(withRecordID: record.recordID) { recordID, error in print(recordID as Any, error as Any) }
        database.fetch(withRecordIDs: [record.recordID]) { result in _ = try? result.get()[record.recordID]?.get() }
        database.fetch(withRecordIDs: [record.recordID], desiredKeys: []) { _ in }
        database.modifyRecords(saving: [record], deleting: []) { result in
            if case .success(let outcome) = result { print(outcome.saveResults, outcome.deleteResults) }
        }
        database.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys, atomically: true) { _ in }
    }

    static func changes(_ database: CKDatabase, _ zoneID: CKRecordZone.ID) async throws -> [CKRecord] {
        var token: CKServerChangeToken?
        var more = true
        var zones: [CKRecordZone.ID] = []
        while more {
            let changes = try await database.databaseChanges(since: token)
            zones += changes.modifications.map(\.zoneID)
            for deletion in changes.deletions {
                switch deletion.reason {
                case .deleted, .purged: print(deletion.zoneID)
                case .encryptedDataReset: print("again")
                @unknown default: break
                }
            }
            (token, more) = (changes.changeToken, changes.moreComing)
        }
        _ = try await database.databaseChanges(since: token, resultsLimit: 10)
        let page = try await database.recordZoneChanges(inZoneWith: zoneID, since: nil)
        _ = try await database.recordZoneChanges(
            inZoneWith: zoneID, since: page.changeToken, desiredKeys: ["title"], resultsLimit: 100)
        let modification: CKDatabase.RecordZoneChange.Modification? = try page.modificationResultsByID.first?.value
            .get()
        let deletion: CKDatabase.RecordZoneChange.Deletion? = page.deletions.first
        print(modification as Any, deletion?.recordID as Any, deletion?.recordType as Any, page.moreComing, zones)
        return page.modificationResultsByID.compactMapValues { try? $0.get().record }.map(\.value)
    }

    @available(*, deprecated)
    static func purged(_ deletion: CKDatabase.DatabaseChange.Deletion) -> Bool { deletion.purged }

    static func changesByHandler(_ database: CKDatabase, _ zoneID: CKRecordZone.ID) {
        database.fetchDatabaseChanges(since: nil) { result in
            if case .success(let changes) = result { print(changes.modifications, changes.deletions) }
        }
        database.fetchDatabaseChanges(since: nil, resultsLimit: 5) { _ in }
        database.fetchRecordZoneChanges(inZoneWith: zoneID, since: nil) { result in
            switch result {
            case .success(let (modifications, deletions, token, moreComing)):
                print(modifications, deletions, token, moreComing)
            case .failure(CKError.changeTokenExpired): print("again")
            case .failure(let error): print(error)
            }
        }
        database.fetchRecordZoneChanges(inZoneWith: zoneID, since: nil, desiredKeys: nil, resultsLimit: nil) { _ in }
    }

    static func configured(_ database: CKDatabase, _ record: CKRecord) async throws {
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 10
        database.configuredWith(configuration: configuration) { database in database.save(record) { _, _ in } }
        try await database.configuredWith(configuration: configuration, group: CKOperationGroup()) { database in
            _ = try await database.save(record)
        }
        let scope: CKDatabase.Scope = database.databaseScope
        switch scope {
        case .public, .private, .shared: break
        @unknown default: break
        }
    }

    static func archivedToken(_ token: CKServerChangeToken) throws -> CKServerChangeToken? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        UserDefaults.standard.set(data, forKey: "token")
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }
}
