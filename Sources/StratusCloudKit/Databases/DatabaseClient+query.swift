import Foundation
import StratusCloudModel

/// A part of a query's results.
struct QueryOutcome: Sendable {
    var matches: ItemResults<CKRecord.ID, CKRecord> = []
    var cursor: CKQueryCursor?
}

extension DatabaseClient {
    /// The first results of a query.
    /// - Parameters:
    ///   - zoneID: nil for the default zone of the public database, or all zones of another.
    ///   - resultsLimit: 0 for as many as the server gives at once.
    func records(
        matching query: CKQuery, in zoneID: CKRecordZone.ID?, desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int,
        matched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void = { _, _ in }
    ) async throws -> QueryOutcome {
        let names = try await names()
        guard let translated = try QueryTranslation(names: names).query(query) else { return QueryOutcome() }
        try checkQuery(translated)
        let request = QueryRecordsRequest(
            query: translated, zoneID: zoneID.map(names.zoneID), zoneWide: zoneID == nil && scope != .public)
        return try await pages(request, names, desiredKeys, resultsLimit, matched)
    }

    /// Further results of a query.
    func records(
        continuingFrom cursor: CKQueryCursor, desiredKeys: [CKRecord.FieldKey]?, resultsLimit: Int,
        matched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void = { _, _ in }
    ) async throws -> QueryOutcome {
        try await pages(cursor.request(), names(), desiredKeys, resultsLimit, matched)
    }

    /// Asks until there are as many results as are wanted, or no more. Without a limit one page is enough, if there is
    /// something on it.
    private func pages(
        _ request: QueryRecordsRequest, _ names: IdentityNames, _ desiredKeys: [CKRecord.FieldKey]?,
        _ resultsLimit: Int, _ matched: @Sendable (CKRecord.ID, Result<CKRecord, any Error>) async -> Void
    ) async throws -> QueryOutcome {
        var request = request
        request.desiredKeys = desiredKeys
        let wanted = resultsLimit > 0 ? resultsLimit : nil
        var outcome = QueryOutcome()
        repeat {
            request.resultsLimit = Self.limit(wanted.map { $0 - outcome.matches.count })
            let page = try await send(.queryRecords(request)) { answer throws(CloudTransportError) in
                try answer.recordPage()
            }
            let records = await download(page.records, names)
            for (record, result) in zip(page.records, records) {
                let recordID = RecordDecoding(names: names).recordID(of: record)
                outcome.matches.append((recordID, result))
                await matched(recordID, result)
            }
            request.continuationMarker = page.continuationMarker
        } while request.continuationMarker != nil && outcome.matches.count < (wanted ?? 1)
        outcome.cursor = request.continuationMarker == nil ? nil : CKQueryCursor(request)
        return outcome
    }
}
