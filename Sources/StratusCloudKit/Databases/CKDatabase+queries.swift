import Foundation

extension CKDatabase {
    /// The first records that satisfy a query.
    /// - Parameters:
    ///   - query: what they satisfy, and their order.
    ///   - zoneID: nil for the default zone of the public database, or all zones of another.
    ///   - desiredKeys: nil for all fields, an empty list for none.
    ///   - resultsLimit: ``CKQueryOperation/maximumResults`` for as many as the server gives at once.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let outcome = try await client.records(
            matching: query, in: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (outcome.matches, outcome.cursor)
    }

    /// Further records that satisfy a query.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        let outcome = try await client.records(
            continuingFrom: queryCursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        return (outcome.matches, outcome.cursor)
    }

    /// The records that satisfy a query, as many as the server gives at once.
    @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:)")
    @_disfavoredOverload
    public func records(matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?) async throws -> [CKRecord] {
        let outcome = try await client.records(matching: query, in: zoneID, desiredKeys: nil, resultsLimit: 0)
        return try outcome.matches.map { try $0.1.get() }
    }
}
