import Foundation

// The same with completion handlers.
extension CKDatabase {
    /// Fetches a record.
    @preconcurrency
    public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.record(for: recordID) }, completionHandler)
    }

    /// Saves a record, if it is as the server has it.
    @preconcurrency
    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.save(record) }, completionHandler)
    }

    /// Deletes a record.
    @preconcurrency
    public func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        Completion.run({ try await self.deleteRecord(withID: recordID) }, completionHandler)
    }

    /// Fetches records.
    @preconcurrency
    public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) {
        Completion.run({ try await self.records(for: recordIDs, desiredKeys: desiredKeys) }, completionHandler)
    }

    /// Saves and deletes records.
    @preconcurrency
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        Completion.run(
            {
                try await self.modifyRecords(
                    saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
            }, completionHandler)
    }
}
