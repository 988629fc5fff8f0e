import Foundation
import StratusCloudModel

/// A page of a database's changes.
struct DatabaseChangesOutcome: Sendable {
    var modifications: [CKRecordZone.ID] = []
    var deletions: [(zoneID: CKRecordZone.ID, reason: CKDatabase.DatabaseChange.Deletion.Reason)] = []
    var token: CKServerChangeToken
    var moreComing: Bool
}

/// A page of a zone's changes.
struct ZoneChangesOutcome: Sendable {
    var modifications: ItemResults<CKRecord.ID, CKRecord> = []
    var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
    var token: CKServerChangeToken
    var moreComing: Bool
    var clientChangeToken: Data?
}

/// What is asked about a zone's changes.
struct ZoneChangesQuestion: Sendable {
    var zoneID: CKRecordZone.ID
    var token: CKServerChangeToken?
    var resultsLimit: Int?
    var desiredKeys: [CKRecord.FieldKey]?
}

extension DatabaseClient {
    /// One page of which zones changed.
    func databaseChanges(since token: CKServerChangeToken?, resultsLimit: Int?) async throws -> DatabaseChangesOutcome {
        try require([.private, .shared], "There are no changes to fetch")
        let names = try await names()
        let request = DatabaseChangesRequest(syncToken: token?.text, resultsLimit: Self.limit(resultsLimit))
        let page = try await send(.databaseChanges(request)) { answer throws(CloudTransportError) in
            try answer.databaseChanges()
        }
        var outcome = DatabaseChangesOutcome(token: CKServerChangeToken(page.syncToken), moreComing: page.moreComing)
        for zone in page.zones where seesReservedZones || !zone.zoneID.isReserved {
            switch zone {
            case .zone(let zone): outcome.modifications.append(names.zoneID(zone.zoneID))
            case .deleted(let zoneID, let reason):
                outcome.deletions.append((names.zoneID(zoneID), CKDatabase.DatabaseChange.Deletion.Reason(reason)))
            // A zone that cannot be told about now is told about when it changes, or is asked for.
            case .failed(let zoneID, _): outcome.modifications.append(names.zoneID(zoneID))
            }
        }
        if outcome.deletions.contains(where: { $0.reason == .encryptedDataReset }) {
            await connection.keyring.forget()
        }
        return outcome
    }

    /// One page of each zone's changes, in order.
    func zoneChanges(
        _ questions: [ZoneChangesQuestion]
    ) async throws -> ItemResults<CKRecordZone.ID, ZoneChangesOutcome> {
        guard !questions.isEmpty else { return [] }
        try require([.private, .shared], "There are no changes to fetch")
        let names = try await names()
        var outcomes: ItemResults<CKRecordZone.ID, ZoneChangesOutcome> = []
        for start in stride(from: 0, to: questions.count, by: CloudLimits.zonesPerFeedRequest) {
            let part = questions[start..<min(start + CloudLimits.zonesPerFeedRequest, questions.count)]
            outcomes += try await zoneChanges(Array(part), names)
        }
        return outcomes
    }

    private func zoneChanges(
        _ questions: [ZoneChangesQuestion], _ names: IdentityNames
    ) async throws -> ItemResults<CKRecordZone.ID, ZoneChangesOutcome> {
        let requests = questions.map {
            ZoneChangesRequest(
                zoneID: names.zoneID($0.zoneID), syncToken: $0.token?.text, resultsLimit: Self.limit($0.resultsLimit),
                desiredKeys: $0.desiredKeys)
        }
        let results = try await send(.zoneChanges(requests)) { answer throws(CloudTransportError) in
            try answer.zoneChanges()
        }
        guard results.count == questions.count else {
            throw NSError.cloudKit(.internalError, "The answer has another number of zones than the request.")
        }
        var outcomes: ItemResults<CKRecordZone.ID, ZoneChangesOutcome> = []
        for (question, result) in zip(questions, results) {
            switch result {
            case .failed(_, let error): outcomes.append((question.zoneID, .failure(NSError.cloudKit(error))))
            case .page(_, let page):
                do {
                    outcomes.append((question.zoneID, .success(try await outcome(page, in: question.zoneID, names))))
                } catch {
                    outcomes.append((question.zoneID, .failure(error)))
                }
            }
        }
        return outcomes
    }

    /// - Throws: if there are no keys for the encrypted values. A page that was fetched without them would not come again
    ///   when they are here.
    func outcome(
        _ page: ZoneChangesPage, in zoneID: CKRecordZone.ID, _ names: IdentityNames
    ) async throws -> ZoneChangesOutcome {
        var outcome = ZoneChangesOutcome(
            token: CKServerChangeToken(page.syncToken), moreComing: page.moreComing,
            clientChangeToken: page.clientChangeToken.map { Data($0) })
        var saved: [Record] = []
        for change in page.changes {
            switch change {
            case .saved(let record): saved.append(record)
            case .deleted(let name, let type, _):
                outcome.deletions.append(
                    CKDatabase.RecordZoneChange.Deletion(
                        recordID: CKRecord.ID(recordName: name, zoneID: zoneID), recordType: type ?? ""))
            }
        }
        let decoding = RecordDecoding(names: names, opener: await opener(for: saved, names))
        try decoding.opener.checkKeys()
        let records = await download(saved, decoding)
        outcome.modifications = zip(saved, records).map { record, result in
            (CKRecord.ID(recordName: record.recordName, zoneID: zoneID), result)
        }
        return outcome
    }

    /// 0 leaves it to the server.
    static func limit(_ resultsLimit: Int?) -> Int? {
        resultsLimit.flatMap { $0 > 0 ? min($0, CloudLimits.recordsPerPage) : nil }
    }
}

extension CKDatabase.DatabaseChange.Deletion.Reason {
    init(_ reason: ZoneDeletionReason) {
        switch reason {
        case .deleted: self = .deleted
        case .purged: self = .purged
        case .encryptedDataReset: self = .encryptedDataReset
        }
    }
}
