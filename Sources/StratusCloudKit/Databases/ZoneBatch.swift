import Foundation
import StratusCloudModel

/// The part of a modification that is about one zone: one request.
struct ZoneBatch: Sendable {
    enum Item: Sendable {
        case save(PendingSave)
        case deletion(CKRecord.ID)

        var recordID: CKRecord.ID {
            switch self {
            case .save(let save): save.recordID
            case .deletion(let recordID): recordID
            }
        }
    }

    let zoneID: CKRecordZone.ID
    private var items: [Item] = []
    /// What became of the items so far.
    private var results: [CKRecord.ID: Result<Void, any Error>] = [:]

    private init(zoneID: CKRecordZone.ID) { self.zoneID = zoneID }

    /// One batch for each zone, in the order in which the zones first appear.
    static func batches(
        saving records: [CKRecord], deleting recordIDs: [CKRecord.ID],
        _ policy: CKModifyRecordsOperation.RecordSavePolicy
    ) -> [ZoneBatch] {
        var batches: [ZoneBatch] = []
        var places: [CKRecordZone.ID: Int] = [:]
        func add(_ item: Item) {
            let zoneID = item.recordID.zoneID
            let place = places[zoneID] ?? batches.count
            if place == batches.count {
                places[zoneID] = place
                batches.append(ZoneBatch(zoneID: zoneID))
            }
            batches[place].items.append(item)
        }
        for record in records { add(.save(PendingSave(record, policy))) }
        for recordID in recordIDs { add(.deletion(recordID)) }
        return batches
    }

    var pendingSaves: [PendingSave] {
        items.compactMap { if case .save(let save) = $0 { save } else { nil } }
    }

    /// Saves that have not failed yet.
    var openSaves: [PendingSave] { pendingSaves.filter { results[$0.recordID] == nil } }

    var size: Int { pendingSaves.reduce(0) { $0 + $1.size } }

    var hasFailures: Bool { results.values.contains { if case .failure = $0 { true } else { false } } }

    var hasWork: Bool { items.contains { results[$0.recordID] == nil } }

    var savedIDs: [CKRecord.ID] {
        pendingSaves.map(\.recordID).filter { if case .success = results[$0] { true } else { false } }
    }

    mutating func fail(_ failures: [CKRecord.ID: any Error]) {
        for (recordID, error) in failures { results[recordID] = .failure(error) }
    }

    /// What has no result yet fails.
    mutating func failRest(_ error: any Error) {
        for item in items where results[item.recordID] == nil { results[item.recordID] = .failure(error) }
    }

    mutating func failAll(_ error: any Error) {
        for item in items { results[item.recordID] = .failure(error) }
    }

    /// Calls `body` for what is to be sent; what it throws is the item's failure.
    mutating func prepare(_ body: (Item) throws -> Void) {
        for item in items where results[item.recordID] == nil {
            do { try body(item) } catch { results[item.recordID] = .failure(error) }
        }
    }

    /// Takes the answers to what was sent, in order.
    mutating func finish(
        _ answers: [RecordResult], _ uploads: [ObjectIdentifier: Asset], _ decoding: RecordDecoding
    ) {
        let sent = items.filter { results[$0.recordID] == nil }
        for (item, answer) in zip(sent, answers) {
            results[item.recordID] = Self.result(answer, of: item, uploads, decoding)
        }
        failRest(NSError.cloudKit(.internalError, "The answer has no result for the record."))
    }

    private static func result(
        _ answer: RecordResult, of item: Item, _ uploads: [ObjectIdentifier: Asset], _ decoding: RecordDecoding
    ) -> Result<Void, any Error> {
        switch (answer, item) {
        case (.saved(let saved), .save(let save)):
            save.acknowledge(saved, uploads, decoding.names)
            return .success(())
        case (.deleted, .deletion): return .success(())
        case (.failed(_, let error), .save(let save)):
            let isConflict = error.code == .conflict || error.code == .exists
            return Result {
                let records = isConflict ? try save.conflict(error.serverRecord?.value, decoding) : [:]
                throw error.isAboutSharesBelow(save.recordID)
                    ? NSError.cloudKit(.invalidArguments, error.reason) : NSError.cloudKit(error, records)
            }
        case (.failed(_, let error), .deletion): return .failure(NSError.cloudKit(error))
        case (.saved, .deletion), (.deleted, .save):
            return .failure(NSError.cloudKit(.internalError, "The answer is to another question."))
        }
    }

    /// The results of all batches in the order of the request.
    static func outcome(
        of batches: [ZoneBatch], saving records: [CKRecord], deleting recordIDs: [CKRecord.ID]
    ) -> ModifyRecordsOutcome {
        let results = batches.reduce(into: [:]) { $0.merge($1.results) { first, _ in first } }
        func result(_ recordID: CKRecord.ID) -> Result<Void, any Error> {
            results[recordID] ?? .failure(NSError.cloudKit(.internalError, "The record was not sent."))
        }
        return ModifyRecordsOutcome(
            saves: records.map { record in (record.recordID, result(record.recordID).map { record }) },
            deletions: recordIDs.map { ($0, result($0)) })
    }
}

extension CloudError {
    /// Whether a zone cannot be shared for the shares that it has: Apple's code says so of records only.
    fileprivate func isAboutSharesBelow(_ recordID: CKRecord.ID) -> Bool {
        extensionCode == .alreadyShared && recordID.recordName == CKRecordNameZoneWideShare
    }
}
