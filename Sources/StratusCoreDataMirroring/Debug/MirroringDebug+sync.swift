import Foundation
import StratusCloudKit
import StratusCoreData

// The lines about what is sent and fetched.
extension MirroringDebug {
    /// Writes the beginning or the end of an event of a store.
    static func note(_ event: EventInProgress, _ error: (any Error)?, of store: NSPersistentStore) {
        write(.events, store, line(event, error))
    }

    private static func line(_ event: EventInProgress, _ error: (any Error)?) -> String {
        guard let end = event.row.end else { return "\(event.type.word) began" }
        let duration = String(format: "%.3f s", end.timeIntervalSince(event.row.start))
        guard let error else { return "\(event.type.word) ended after \(duration)" }
        return "\(event.type.word) failed after \(duration): \(text(error))"
    }

    /// Writes a batch that is about to be sent.
    static func note(_ batch: ExportBatch, of store: NSPersistentStore) {
        write(
            .batches, store,
            "sends \(counted(batch.records.count, "record")) and \(counted(batch.deletions.count, "deletion")): "
                + names(batch.records, batch.deletions))
        for record in batch.records {
            let keys = record.changedKeys() + record.encryptedValues.changedKeys()
            let object = batch.sending[record.recordID]?.key.map { " of \($0.entity)/\($0.primaryKey)" } ?? ""
            write(.records, store, "sends \(shown(record))\(object) with the changed fields \(listed(keys))")
        }
    }

    /// Writes how a record and an object that differed were merged.
    static func note(_ merge: RowMerge, of record: CKRecord, in store: NSPersistentStore) {
        let taken = listed(Array(merge.values.keys) + merge.references.keys)
        let kept = merge.keepsOurs ? ", and keeps what was changed here" : ""
        write(.batches, store, "merges \(shown(record)): takes \(taken) of the cloud\(kept)")
    }

    /// Writes what the sync engine reports.
    static func note(_ event: CKSyncEngine.Event, of store: NSPersistentStore) {
        guard writes(.batches) else { return }
        for line in lines(event) { write(.batches, store, line) }
        guard case .fetchedRecordZoneChanges(let changes) = event else { return }
        note(changes.modifications.map(\.record), deletions: changes.deletions.map(\.recordID), of: store)
    }

    /// Writes a page of records that were fetched.
    static func note(_ records: [CKRecord], deletions: [CKRecord.ID], of store: NSPersistentStore) {
        write(
            .batches, store,
            "fetched a page of \(counted(records.count, "record")) and \(counted(deletions.count, "deletion")): "
                + names(records, deletions))
        guard writes(.records) else { return }
        for record in records {
            let keys = record.allKeys() + record.encryptedValues.allKeys()
            write(.records, store, "fetched \(shown(record)) with the fields \(listed(keys))")
        }
    }

    /// Writes the answer to a batch.
    static func note(_ changes: SentChanges, of store: NSPersistentStore) {
        guard writes(.batches) else { return }
        let (saved, deleted) = (changes.saved, changes.deleted)
        write(
            .batches, store,
            "the cloud saved \(counted(saved.count, "record")) and deleted \(deleted.count): \(names(saved, deleted))")
        for (recordID, error) in changes.failedSaves {
            write(.batches, store, "the cloud did not save \(shown(recordID)): \(text(error))")
        }
        for (recordID, error) in changes.failedDeletions {
            write(.batches, store, "the cloud did not delete \(shown(recordID)): \(text(error))")
        }
    }

    private static func lines(_ event: CKSyncEngine.Event) -> [String] {
        switch event {
        case .accountChange(let change): return [line(change.changeType)]
        case .fetchedDatabaseChanges(let changes):
            return changes.modifications.map { "zone \(shown($0.zoneID)) has changed" }
                + changes.deletions.map { "zone \(shown($0.zoneID)) is gone: \($0.reason)" }
        case .willFetchRecordZoneChanges(let begin): return ["fetches zone \(shown(begin.zoneID))"]
        case .didFetchRecordZoneChanges(let end):
            return end.error.map { ["zone \(shown(end.zoneID)) could not be fetched: \(text($0))"] } ?? []
        case .sentDatabaseChanges(let changes):
            return changes.savedZones.map { "saved zone \(shown($0.zoneID))" }
                + changes.failedZoneSaves.map { "zone \(shown($0.zone.zoneID)) was not saved: \(text($0.error))" }
        case .fetchedRecordZoneChanges, .sentRecordZoneChanges, .stateUpdate, .willFetchChanges, .didFetchChanges,
            .willSendChanges, .didSendChanges:
            return []
        }
    }

    private static func line(_ change: CKSyncEngine.Event.AccountChange.ChangeType) -> String {
        switch change {
        case .signIn(let user): "account \(user.recordName) has signed in"
        case .signOut(let user): "account \(user.recordName) has signed out"
        case .switchAccounts(let former, let user):
            "account \(user.recordName) has taken the place of \(former.recordName)"
        }
    }

    // MARK: - Words

    static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    static func listed(_ names: [String]) -> String {
        names.isEmpty ? "nothing" : names.sorted().joined(separator: ", ")
    }

    private static func names(_ records: [CKRecord], _ deletions: [CKRecord.ID]) -> String {
        (records.map(shown) + deletions.map { "deletion of \(shown($0))" }).joined(separator: ", ")
    }

    private static func shown(_ record: CKRecord) -> String { "\(record.recordType) \(shown(record.recordID))" }

    /// The name of a record, with its zone if that is not the one of a person's own or of public records.
    private static func shown(_ recordID: CKRecord.ID) -> String {
        let isUsual = [MirroredZones.homeName, CKRecordZone.ID.defaultZoneName].contains(recordID.zoneID.zoneName)
        return isUsual ? recordID.recordName : "\(recordID.recordName) in \(shown(recordID.zoneID))"
    }

    static func shown(_ zoneID: CKRecordZone.ID) -> String {
        zoneID.ownerName == CKCurrentUserDefaultName
            ? zoneID.zoneName : "\(zoneID.zoneName) of \(zoneID.ownerName)"
    }
}

extension NSPersistentCloudKitContainer.EventType {
    /// The name of the case.
    var word: String {
        switch self {
        case .setup: "setup"
        case .import: "import"
        case .export: "export"
        }
    }
}
