import Foundation
import StratusCloudModel

extension DatabaseClient {
    /// Fetches records by name; one result for each, in order.
    /// - Parameter desiredKeys: nil for all fields, an empty list for none.
    func records(
        for recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]?, events: RecordEvents = RecordEvents()
    ) async throws -> ItemResults<CKRecord.ID, CKRecord> {
        try Self.checkCount(recordIDs.count)
        guard !recordIDs.isEmpty else { return [] }
        let names = try await names()
        var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
        var zones: [CKRecordZone.ID] = []
        for recordID in recordIDs where !zones.contains(recordID.zoneID) { zones.append(recordID.zoneID) }
        for zoneID in zones {
            var seen: Set<CKRecord.ID> = []
            let wanted = recordIDs.filter { $0.zoneID == zoneID && seen.insert($0).inserted }
            for (recordID, result) in try await records(wanted, in: zoneID, desiredKeys, names, events) {
                results[recordID] = result
            }
        }
        return recordIDs.map { recordID in
            (recordID, results[recordID] ?? .failure(NSError.cloudKit(.unknownItem, "Record not found")))
        }
    }

    private func records(
        _ recordIDs: [CKRecord.ID], in zoneID: CKRecordZone.ID, _ desiredKeys: [CKRecord.FieldKey]?,
        _ names: IdentityNames, _ events: RecordEvents
    ) async throws -> ItemResults<CKRecord.ID, CKRecord> {
        let request = LookupRecordsRequest(
            items: recordIDs.map { LookupRecordsRequest.Item(recordName: $0.recordName) },
            zoneID: names.zoneID(zoneID), desiredKeys: desiredKeys)
        let answers: [RecordResult]
        do {
            answers = try await send(.lookupRecords(request)) { answer throws(CloudTransportError) in
                try answer.records()
            }
        } catch let error as NSError where Self.concernsZone(error) {
            return recordIDs.map { ($0, .failure(error)) }
        }
        let found = answers.compactMap { if case .saved(let record) = $0 { record } else { nil } }
        var records = await download(found, names, events).makeIterator()
        return zip(recordIDs, answers).map { recordID, answer in
            switch answer {
            case .saved(let record) where record.recordName != recordID.recordName:
                (recordID, .failure(NSError.cloudKit(.internalError, "The answer is about another record.")))
            case .saved: (recordID, records.next() ?? .failure(NSError.operationCancelled))
            case .failed(_, let error): (recordID, .failure(NSError.cloudKit(error)))
            case .deleted: (recordID, .failure(NSError.cloudKit(.unknownItem, "Record not found")))
            }
        }
    }

    /// The record of the current user.
    func currentUserRecord(
        desiredKeys: [CKRecord.FieldKey]?, events: RecordEvents = RecordEvents()
    ) async throws -> (CKRecord.ID, Result<CKRecord, any Error>) {
        guard let name = try await names().currentUser else {
            throw NSError.cloudKit(.notAuthenticated, "Nobody is signed in.")
        }
        let results = try await records(
            for: [CKRecord.ID(recordName: name)], desiredKeys: desiredKeys, events: events)
        guard let result = results.first else { throw NSError.cloudKit(.internalError, "There is no answer.") }
        return result
    }
}
