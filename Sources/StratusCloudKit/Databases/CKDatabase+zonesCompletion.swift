import Foundation

// The same with completion handlers.
extension CKDatabase {
    /// All zones.
    @preconcurrency
    public func fetchAllRecordZones(completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void) {
        Completion.run({ try await self.allRecordZones() }, completionHandler)
    }

    /// Fetches a zone.
    @preconcurrency
    public func fetch(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.recordZone(for: zoneID) }, completionHandler)
    }

    /// Makes a zone.
    @preconcurrency
    public func save(
        _ zone: CKRecordZone, completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.save(zone) }, completionHandler)
    }

    /// Deletes a zone.
    @preconcurrency
    public func delete(
        withRecordZoneID zoneID: CKRecordZone.ID,
        completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.deleteRecordZone(withID: zoneID) }, completionHandler)
    }

    /// Fetches zones.
    @preconcurrency
    public func fetch(
        withRecordZoneIDs recordZoneIDs: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.recordZones(for: recordZoneIDs) }, completionHandler)
    }

    /// Makes and deletes zones.
    @preconcurrency
    public func modifyRecordZones(
        saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
                        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.run(
            {
                try await self.modifyRecordZones(saving: recordZonesToSave, deleting: recordZoneIDsToDelete)
            }, completionHandler)
    }
}
