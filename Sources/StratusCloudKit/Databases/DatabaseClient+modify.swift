import Foundation
import StratusCloudModel

/// What became of a modification.
struct ModifyRecordsOutcome: Sendable {
    var saves: ItemResults<CKRecord.ID, CKRecord> = []
    var deletions: ItemResults<CKRecord.ID, Void> = []
}

extension DatabaseClient {
    /// Saves and deletes records, each zone's together.
    /// - Throws: what concerns all of it. What concerns an item, or a zone, stands in the items' places.
    func modifyRecords(
        saving records: [CKRecord], deleting recordIDs: [CKRecord.ID],
        policy: CKModifyRecordsOperation.RecordSavePolicy, atomically: Bool, events: RecordEvents = RecordEvents()
    ) async throws -> ModifyRecordsOutcome {
        try Self.check(records, recordIDs)
        try checkShares(records)
        try checkEncryptedValues(records)
        guard !records.isEmpty || !recordIDs.isEmpty else { return ModifyRecordsOutcome() }
        let names = try await writersNames()
        var batches = ZoneBatch.batches(saving: records, deleting: recordIDs, policy)
        guard batches.reduce(0, { $0 + $1.size }) <= CloudLimits.requestSize else {
            throw NSError.cloudKit(
                .limitExceeded,
                "Your request is larger than the maximum of \(CloudLimits.requestSize) bytes without assets.")
        }
        for index in batches.indices {
            do {
                try await run(&batches[index], names, atomically, events)
            } catch  where index > 0 {
                // Others are done; their results must not be lost.
                for rest in index..<batches.endIndex { batches[rest].failAll(error) }
                break
            }
        }
        return ZoneBatch.outcome(of: batches, saving: records, deleting: recordIDs)
    }

    private static func check(_ records: [CKRecord], _ recordIDs: [CKRecord.ID]) throws {
        try checkCount(records.count + recordIDs.count)
        var seen: Set<CKRecord.ID> = []
        for record in records where !seen.insert(record.recordID).inserted {
            throw NSError.cloudKit(
                .invalidArguments, "You can't save the same record twice: '\(record.recordID.recordName)'")
        }
        for recordID in recordIDs where !seen.insert(recordID).inserted {
            throw NSError.cloudKit(
                .invalidArguments,
                "You can't save and delete, or delete twice, the same record: '\(recordID.recordName)'")
        }
    }

    /// - Throws: what would concern the other zones, too.
    private func run(
        _ batch: inout ZoneBatch, _ names: IdentityNames, _ atomically: Bool, _ events: RecordEvents
    ) async throws {
        let isAtomic = atomically && !batch.zoneID.isDefault && scope != .public
        let prepared = await prepareShares(batch.openSaves, names)
        let uploads = await upload(batch.openSaves, names, events)
        batch.fail(uploads.failures)
        var attempt = 0
        while true {
            let zoneID = batch.zoneID
            let sealer: RecordSealer?
            do {
                sealer = try await self.sealer(of: &batch, prepared, names)
            } catch let error as NSError where Self.concernsZone(error) {
                batch.failRest(error)
                return
            }
            var operations: [RecordOperation] = []
            batch.prepare { item in
                switch item {
                case .save(let save): operations.append(try save.operation(uploads.assets, sealer, names))
                case .deletion(let recordID):
                    let tag = changeTagsOfDeletions[recordID]
                    let input = RecordInput(recordName: recordID.recordName, recordChangeTag: tag)
                    operations.append(RecordOperation(tag == nil ? .forceDelete : .delete, input))
                }
            }
            if isAtomic, batch.hasFailures {
                batch.failRest(
                    NSError.cloudKit(
                        .batchRequestFailed, "Another item of the atomic batch failed; nothing was sent."))
            }
            guard batch.hasWork else { return }
            let request = ModifyRecordsRequest(
                operations: operations, zoneID: names.zoneID(zoneID),
                atomic: zoneID.isDefault || scope == .public ? nil : isAtomic, requestID: requestID,
                encryptedFor: sealer?.claims ?? [], clientChangeToken: clientChangeToken)
            do {
                let results = try await modify(request)
                try await finish(&batch, results, uploads.assets, names, events)
                return
            } catch is KeyRefusal {
                attempt += 1
                guard attempt < CloudLimits.keyAttempts else {
                    batch.failRest(NSError.cloudKit(.zoneBusy, "The keys of what is shared change all the time."))
                    return
                }
                await connection.keyring.note(.hierarchies, of: try keyZone(zoneID, names))
            } catch let error as NSError where Self.concernsZone(error) {
                batch.failRest(error)
                return
            }
        }
    }

    /// Takes the answers, and does for shares what is to be done when they were saved.
    private func finish(
        _ batch: inout ZoneBatch, _ results: [RecordResult], _ assets: [ObjectIdentifier: Asset],
        _ names: IdentityNames, _ events: RecordEvents
    ) async throws {
        if results.contains(where: \.isOfReset) { await connection.keyring.forget() }
        let serverRecords = results.compactMap(\.serverRecord)
        let decoding = RecordDecoding(names: names, opener: await opener(for: serverRecords, names))
        batch.finish(results, assets, decoding)
        for save in batch.savedIDs { events.progress(save, 1) }
        let saved = Set(batch.savedIDs)
        let saves = batch.pendingSaves.filter { saved.contains($0.recordID) }
        await finishShares(saves, names)
        guard scope == .private, saves.contains(where: \.isMove), let records = try? keyRecords(of: names),
            case .hierarchies? = await connection.keyring.sharing(of: try keyZone(batch.zoneID, names))
        else { return }
        // What moved took along what is below it. What this does not come to, `reencrypt(_:)` does.
        _ = try? await reencrypt(batch.zoneID, records, onlyShared: true)
    }

    /// What encrypts a batch's values; nil where there is nothing to encrypt. Records that cannot be encrypted fail; the others do
    /// not need it.
    private func sealer(
        of batch: inout ZoneBatch, _ prepared: [CKRecord.ID: ZoneKey], _ names: IdentityNames
    ) async throws -> RecordSealer? {
        let saves = batch.openSaves.filter(\.hasEncryptedValues)
        guard !saves.isEmpty else { return nil }
        connection.noteEncryptedFields(of: saves)
        do {
            // Those above them, which the batch makes, say to which share they will belong.
            let others = batch.openSaves.filter { !$0.hasEncryptedValues }.map(\.sealingSubject)
            return try await sealer(
                for: saves.map(\.sealingSubject), beside: others, in: batch.zoneID, prepared: prepared, names)
        } catch let error as NSError
            where error.cloudKitCode == .accountTemporarilyUnavailable || error.cloudKitCode == .permissionFailure
        {
            batch.fail(Dictionary(saves.map { ($0.recordID, error as any Error) }) { first, _ in first })
            return nil
        }
    }

    /// Whether a refusal is about this zone and its items, and not about who asks, or about the way there.
    static func concernsZone(_ error: NSError) -> Bool {
        switch error.cloudKitCode {
        case .zoneNotFound, .userDeletedZone, .permissionFailure, .invalidArguments, .quotaExceeded, .unknownItem,
            .referenceViolation, .badDatabase:
            true
        default: false
        }
    }
}

extension RecordResult {
    /// Whether the zone is gone with its keys.
    fileprivate var isOfReset: Bool {
        if case .failed(_, let error) = self { error.extensionCode == .userDidResetEncryptedData } else { false }
    }

    /// The stored record of a conflict.
    fileprivate var serverRecord: Record? {
        if case .failed(_, let error) = self { error.serverRecord?.value } else { nil }
    }
}
