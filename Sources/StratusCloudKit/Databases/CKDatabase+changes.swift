import Foundation

extension CKDatabase {
    /// One page of which zones changed since a token; go on with the new token while `moreComing`.
    /// - Parameters:
    ///   - changeToken: nil to begin with all zones there are.
    ///   - resultsLimit: nil leaves it to the server.
    public func databaseChanges(
        since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
    ) async throws -> (
        modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
        changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let page = try await client.databaseChanges(since: changeToken, resultsLimit: resultsLimit)
        return (
            page.modifications.map { DatabaseChange.Modification(zoneID: $0) },
            page.deletions.map { DatabaseChange.Deletion(zoneID: $0.zoneID, reason: $0.reason) }, page.token,
            page.moreComing
        )
    }

    /// One page of what changed in a zone since a token; go on with the new token while `moreComing`.
    /// - Parameters:
    ///   - zoneID: which zone.
    ///   - changeToken: nil to begin with all records there are.
    ///   - desiredKeys: nil for all fields, an empty list for none.
    ///   - resultsLimit: nil leaves it to the server.
    /// - Throws: `CKError.changeTokenExpired` if the token cannot be continued: begin without one.
    public func recordZoneChanges(
        inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
        desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
    ) async throws -> (
        modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
        deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
    ) {
        let question = ZoneChangesQuestion(
            zoneID: zoneID, token: changeToken, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
        let page = try onlyItem(try await client.zoneChanges([question]))
        let modifications = page.modifications.map { recordID, result in
            (recordID, result.map { RecordZoneChange.Modification(record: $0) })
        }
        return (byName(modifications), page.deletions, page.token, page.moreComing)
    }
}
