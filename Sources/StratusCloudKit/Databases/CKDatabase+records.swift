import Foundation

extension CKDatabase {
    /// Fetches a record.
    /// - Throws: `CKError.unknownItem` if there is none.
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        try onlyItem(try await client.records(for: [recordID], desiredKeys: nil))
    }

    /// Saves a record, if it is as the server has it; the object takes over what the server says.
    /// - Throws: `CKError.serverRecordChanged` if somebody else saved it meanwhile.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let outcome = try await client.modifyRecords(
            saving: [record], deleting: [], policy: .ifServerRecordUnchanged, atomically: true)
        return try onlyItem(outcome.saves)
    }

    /// Deletes a record; one that is not there is deleted, too.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        let outcome = try await client.modifyRecords(
            saving: [], deleting: [recordID], policy: .ifServerRecordUnchanged, atomically: true)
        try onlyItem(outcome.deletions)
        return recordID
    }

    /// Fetches records, 400 at most. What concerns one stands in its place.
    /// - Parameters:
    ///   - ids: which.
    ///   - desiredKeys: nil for all fields, an empty list for none.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        byName(try await client.records(for: ids, desiredKeys: desiredKeys))
    }

    /// Saves and deletes records, 400 together at most. What concerns one stands in its place; in a custom zone all
    /// succeed or none does, if `atomically`.
    @discardableResult
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let outcome = try await client.modifyRecords(
            saving: recordsToSave, deleting: recordIDsToDelete, policy: savePolicy, atomically: atomically)
        return (byName(outcome.saves), byName(outcome.deletions))
    }
}
