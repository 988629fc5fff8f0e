import CloudKit

/// Zones as programs use them. Compiled, not run.
enum ZoneSurface {
    static func values() -> CKRecordZone {
        let zone = CKRecordZone(zoneName: "Notes")
        let other = CKRecordZone(zoneID: CKRecordZone.ID(zoneName: "Others", ownerName: CKCurrentUserDefaultName))
        other.encryptionScope = .perZone
        if zone.capabilities.contains(.atomic), zone.capabilities.isSuperset(of: [.fetchChanges, .sharing]) {
            print(zone.share?.recordID as Any, zone.capabilities.contains(.zoneWideSharing))
        }
        // swift-format-ignore: NeverForceUnwrap
        return zone.zoneID == other.zoneID ? zone.copy() as! CKRecordZone : .default()
    }

    static func calls(_ database: CKDatabase, _ zone: CKRecordZone) async throws {
        let zones: [CKRecordZone] = try await database.allRecordZones()
        try await database.save(zone)
        let saved: CKRecordZone = try await database.save(zone)
        let fetched = try await database.recordZone(for: saved.zoneID)
        try await database.deleteRecordZone(withID: fetched.zoneID)
        let deleted: CKRecordZone.ID = try await database.deleteRecordZone(withID: zone.zoneID)
        for (zoneID, result) in try await database.recordZones(for: zones.map(\.zoneID)) {
            print(zoneID.ownerName, try result.get().zoneID)
        }
        try await database.modifyRecordZones(saving: [zone], deleting: [])
        let (saveResults, deleteResults) = try await database.modifyRecordZones(saving: [zone], deleting: [deleted])
        if case .failure(let error)? = saveResults[zone.zoneID] { throw error }
        try deleteResults[deleted]?.get()
    }

    static func handlers(_ database: CKDatabase, _ zone: CKRecordZone) {
        database.fetchAllRecordZones { zones, error in print(zones?.count ?? 0, error as Any) }
        database.save(zone) { (saved: CKRecordZone?, _) in print(saved?.zoneID as Any) }
        database.fetch(withRecordZoneID: zone.zoneID) { zone, error in print(zone as Any, error as Any) }
        database.delete(withRecordZoneID: zone.zoneID) { zoneID, error in print(zoneID as Any, error as Any) }
        database.fetch(withRecordZoneIDs: [zone.zoneID]) { result in
            guard case .success(let zones) = result else { return }
            for (_, zone) in zones { _ = try? zone.get() }
        }
        database.modifyRecordZones(saving: [zone], deleting: []) { result in
            switch result {
            case .success(let (saved, deleted)): print(saved.count, deleted.count)
            case .failure(let error): print(error)
            }
        }
    }

    static func operations(_ zone: CKRecordZone) -> [CKDatabaseOperation] {
        let save = CKModifyRecordZonesOperation(recordZonesToSave: [zone])
        save.perRecordZoneSaveBlock = { zoneID, result in print(zoneID, result) }
        save.perRecordZoneDeleteBlock = { zoneID, result in print(zoneID, result) }
        save.modifyRecordZonesResultBlock = { result in
            switch result {
            case .success: break
            case .failure(let error): print(error)
            }
        }
        let delete = CKModifyRecordZonesOperation(recordZonesToSave: nil, recordZoneIDsToDelete: [zone.zoneID])
        delete.recordZonesToSave = []
        delete.recordZoneIDsToDelete?.append(zone.zoneID)
        let fetch = CKFetchRecordZonesOperation(recordZoneIDs: [zone.zoneID])
        fetch.perRecordZoneResultBlock = { _, result in _ = try? result.get().capabilities }
        fetch.fetchRecordZonesResultBlock = { _ in }
        fetch.recordZoneIDs = nil
        return [save, delete, fetch, CKFetchRecordZonesOperation.fetchAllRecordZonesOperation(), .init()]
    }
}
