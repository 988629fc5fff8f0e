import Foundation

extension CKDatabase {
    /// All zones, the default zone among them.
    public func allRecordZones() async throws -> [CKRecordZone] { try await client.allZones() }

    /// Fetches a zone.
    /// - Throws: `CKError.zoneNotFound` if there is none.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        try onlyItem(try await client.zones(for: [zoneID]))
    }

    /// Makes a zone; one that is there already is made, too.
    @discardableResult
    public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        try onlyItem(try await client.modifyZones(saving: [zone], deleting: []).saves)
    }

    /// Deletes a zone with everything in it.
    /// - Throws: `CKError.zoneNotFound` if there is none.
    @discardableResult
    public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        try onlyItem(try await client.modifyZones(saving: [], deleting: [zoneID]).deletions)
        return zoneID
    }

    /// Fetches zones. What concerns one stands in its place.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        byName(try await client.zones(for: ids))
    }

    /// Makes and deletes zones. What concerns one stands in its place.
    @discardableResult
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
    ) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let outcome = try await client.modifyZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
        return (byName(outcome.saves), byName(outcome.deletions))
    }
}
