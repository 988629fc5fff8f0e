import Foundation
import StratusCloudKit
import StratusCloudModel

/// The delegate of the sync engine.
extension KeyValueSync: CKSyncEngineDelegate {
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions {
        CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zoneID]), operationGroup: context.options.operationGroup)
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? {
        let contents = replica.contents
        guard isCurrent(syncEngine), contents.account != nil, contents.firstDownload == nil else { return nil }
        let keys = Dictionary(
            contents.entries.keys.map { (KeyValueFormat.recordName(forKey: $0), $0) }, uniquingKeysWith: { $1 })
        let changes = syncEngine.state.pendingRecordZoneChanges.filter { context.options.scope.contains($0) }
        var records: [CKRecord.ID: CKRecord] = [:]
        var numbers: [String: UInt64] = [:]
        var settled: [CKSyncEngine.PendingRecordZoneChange] = []
        for case .saveRecord(let recordID) in changes {
            guard let key = keys[recordID.recordName], let entry = contents.entries[key],
                let record = record(key, entry)
            else {
                settled.append(.saveRecord(recordID))
                continue
            }
            records[recordID] = record
            numbers[key] = entry.pending?.number
        }
        if !settled.isEmpty { syncEngine.state.remove(pendingRecordZoneChanges: settled) }
        let waiting = changes.filter { !settled.contains($0) }
        let batch = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: waiting) { [records] in records[$0] }
        let sent = (batch?.recordsToSave ?? []).compactMap { $0[KeyValueFormat.keyField] as? String }
        state.withLock { state in
            for key in sent { state.sending[key] = numbers[key] }
        }
        return batch
    }

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        guard isCurrent(syncEngine) else { return }
        switch event {
        case .stateUpdate(let update): await keep(update.stateSerialization)
        case .accountChange(let change): await take(change.changeType, of: syncEngine)
        case .fetchedDatabaseChanges(let changes):
            if changes.deletions.contains(where: { $0.zoneID.zoneName == zoneID.zoneName }) {
                state.withLock { $0.listed = [] }
            }
        case .fetchedRecordZoneChanges(let changes): await take(changes, of: syncEngine)
        case .didFetchChanges(let end):
            await forgetUnlisted(syncEngine)
            if end.context.reason != .manual { download() }
        case .sentRecordZoneChanges(let changes): await take(changes, of: syncEngine)
        case .didSendChanges:
            state.withLock { $0.sending = [:] }
            forgetRemovedKeys(syncEngine)
        case .didFetchRecordZoneChanges(let end): state.withLock { $0.isListingUnfinished = end.error != nil }
        case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges, .willSendChanges:
            break
        }
    }

    private func keep(_ serialization: CKSyncEngine.State.Serialization) async {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(serialization) else { return }
        await withCheckedContinuation { continuation in
            queue.async { [file] in
                do {
                    try file.writeState(data)
                } catch {
                    KeyValueReplica.log("the state of the synchronization cannot be kept: \(error)")
                }
                continuation.resume()
            }
        }
    }

    private func take(_ change: CKSyncEngine.Event.AccountChange.ChangeType, of engine: CKSyncEngine) async {
        state.withLock { $0.sending = [:] }
        await self.change(by: engine) { contents in
            switch change {
            case .signIn(let user): contents.signIn(user.recordName)
            case .signOut: contents.signOut()
            case .switchAccounts(_, let user): contents.switchAccount(to: user.recordName)
            }
        }
        download()
        sendPending()
    }

    // MARK: - What was fetched

    private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges, of engine: CKSyncEngine) async {
        let fetched = changes.modifications.compactMap { entry(of: $0.record) }
        let gone = Set(
            changes.deletions.map(\.recordID).filter { $0.zoneID.zoneName == zoneID.zoneName }.map(\.recordName))
        state.withLock { $0.listed?.formUnion(fetched.map(\.key)) }
        await change(by: engine) { contents in
            let goneKeys = contents.entries.keys.filter { gone.contains(KeyValueFormat.recordName(forKey: $0)) }
            contents.take(fetched, goneKeys: goneKeys)
        }
    }

    /// A record of the store; nil for one that others wrote against the rules.
    private func entry(of record: CKRecord) -> KeyValueContents.Fetched? {
        guard record.recordID.zoneID.zoneName == zoneID.zoneName,
            let key = record[KeyValueFormat.keyField] as? String,
            KeyValueFormat.recordName(forKey: key) == record.recordID.recordName
        else { return nil }
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        return KeyValueContents.Fetched(
            key: key,
            server: KeyValueContents.ServerSide(
                value: record[KeyValueFormat.valueField] as? Data, systemFields: archiver.encodedData,
                saved: record.modificationDate ?? .distantPast))
    }

    /// Removes keys that were not fetched since the zone was deleted or its listing began again.
    private func forgetUnlisted(_ engine: CKSyncEngine) async {
        let listed = state.withLock { state -> Set<String>? in
            guard !state.isListingUnfinished else { return nil }
            defer { state.listed = nil }
            return state.listed
        }
        guard let listed else { return }
        await change(by: engine) { $0.keep(onlyKeys: listed) }
        sendPending()
    }

    // MARK: - What was sent

    private func take(_ changes: CKSyncEngine.Event.SentRecordZoneChanges, of engine: CKSyncEngine) async {
        let numbers = state.withLock { $0.sending }
        var outcomes: [String: (number: UInt64, outcome: KeyValueContents.Outcome)] = [:]
        for record in changes.savedRecords {
            guard let saved = entry(of: record), let number = numbers[saved.key] else { continue }
            outcomes[saved.key] = (number, .saved(saved.server))
        }
        for failure in changes.failedRecordSaves {
            guard let key = failure.record[KeyValueFormat.keyField] as? String, let number = numbers[key] else {
                continue
            }
            outcomes[key] = (number, outcome(of: failure))
        }
        let settled = outcomes
        state.withLock { state in
            for key in settled.keys { state.sending[key] = nil }
        }
        let deleted = Set(changes.deletedRecordIDs.map(\.recordName))
        let again = await change(by: engine) { contents in
            contents.forget(contents.entries.keys.filter { deleted.contains(KeyValueFormat.recordName(forKey: $0)) })
            return contents.settle(settled)
        }
        engine.state.add(pendingRecordZoneChanges: (again ?? []).map { .saveRecord(recordID(forKey: $0)) })
    }

    private func outcome(of failure: CKSyncEngine.Event.SentRecordZoneChanges.FailedRecordSave)
        -> KeyValueContents.Outcome
    {
        switch failure.error.code {
        case .serverRecordChanged:
            guard let record = failure.error.serverRecord, let saved = entry(of: record) else { return .failed }
            return record.recordChangeTag == failure.record.recordChangeTag
                ? .older(saved.server) : .stale(saved.server)
        case .unknownItem, .zoneNotFound, .userDeletedZone: return .gone
        case .quotaExceeded: return .quotaExceeded
        default: return .failed
        }
    }

    private func forgetRemovedKeys(_ engine: CKSyncEngine) {
        let keys = replica.contents.removedKeysToForget
        guard !keys.isEmpty else { return }
        engine.state.add(pendingRecordZoneChanges: keys.map { .deleteRecord(recordID(forKey: $0)) })
    }
}
