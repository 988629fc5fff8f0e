import Dispatch
import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusDeviceCredentials
import StratusWorkers

/// Carries a store to the cloud and back, for all processes of the machine that share it: the one that holds the lock
/// does it.
final class KeyValueSync: Sendable {
    private struct State: Sendable {
        var engine: CKSyncEngine?
        var lock: FileLock?
        /// Pending changes that are on their way, by key.
        var sending: [String: UInt64] = [:]
        /// Keys that the zone still has, while it is listed anew; nil if it is not.
        var listed: Set<String>?
        /// Whether the listing goes on with the next fetch.
        var isListingUnfinished = false
        var isDownloading = false
        var isDownloadPlanned = false
        var isClosed = false
    }

    /// The pause between two attempts of the first download. The engine's own attempts come in between.
    private static let downloadPause = Duration.seconds(30)

    private let replica: KeyValueReplica
    private let file: KeyValueFile
    private let container: CKContainer
    private let zoneID: CKRecordZone.ID
    private let state = Lock(State())
    /// Disks are waited for here.
    private let queue = DispatchQueue(label: "org.stratus.key-value-sync")

    init(_ replica: KeyValueReplica, _ file: KeyValueFile, _ container: CKContainer, zoneName: String) {
        self.replica = replica
        self.file = file
        self.container = container
        zoneID = CKRecordZone.ID(zoneName: zoneName)
    }

    // MARK: - Who synchronizes

    /// Begins to synchronize as soon as no other process does.
    func start() {
        do {
            if let lock = try FileLock.trying(file.syncLockPath) { return begin(lock) }
        } catch {
            return KeyValueReplica.log("the key-value store is not synchronized: \(error)")
        }
        // The system ends the wait when the other process ends, however that ends.
        let path = file.syncLockPath
        Thread.detachNewThread { [weak self] in
            guard let lock = try? FileLock.waiting(path) else { return }
            self?.begin(lock)
        }
    }

    /// Ends the synchronization, and lets other processes do it.
    func close() async {
        let (engine, lock) = state.withLock { state -> (CKSyncEngine?, FileLock?) in
            defer { (state.engine, state.lock, state.isClosed) = (nil, nil, true) }
            return (state.engine, state.lock)
        }
        replica.onPendingChanges(nil)
        await engine?.cancelOperations()
        withExtendedLifetime(lock) {}
    }

    private func begin(_ lock: FileLock) {
        guard !state.withLock({ $0.isClosed }) else { return }
        replica.refresh()
        // A state knows who was signed in, which without the values is not to be relied on.
        let stored = replica.contents.account == nil ? nil : file.readState()
        let serialization = stored.flatMap {
            try? PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0)
        }
        var configuration = CKSyncEngine.Configuration(
            database: container.privateCloudDatabase, stateSerialization: serialization, delegate: self)
        configuration.seesReservedZones = true
        let engine = CKSyncEngine(configuration)
        state.withLock { state in
            guard !state.isClosed else { return }
            (state.engine, state.lock) = (engine, lock)
        }
        replica.onPendingChanges { [weak self] in self?.sendPending() }
        sendPending()
        download()
    }

    // MARK: - Sending

    /// Has the engine send what waits, once the first download has finished.
    private func sendPending() {
        let contents = replica.contents
        guard let engine = state.withLock({ $0.engine }), contents.account != nil, contents.firstDownload == nil else {
            return
        }
        let waiting = Set(engine.state.pendingRecordZoneChanges)
        let sending = state.withLock { $0.sending }
        let changes = contents.pendingKeys.filter { sending[$0] == nil }.map {
            CKSyncEngine.PendingRecordZoneChange.saveRecord(recordID(forKey: $0))
        }
        let fresh = changes.filter { !waiting.contains($0) }
        if !fresh.isEmpty { engine.state.add(pendingRecordZoneChanges: fresh) }
    }

    private func recordID(forKey key: String) -> CKRecord.ID {
        CKRecord.ID(recordName: KeyValueFormat.recordName(forKey: key), zoneID: zoneID)
    }

    private func record(_ key: String, _ entry: KeyValueContents.Entry) -> CKRecord? {
        guard let pending = entry.pending else { return nil }
        let stored = entry.server.flatMap { server -> CKRecord? in
            guard let coder = try? NSKeyedUnarchiver(forReadingFrom: server.systemFields) else { return nil }
            coder.requiresSecureCoding = true
            return CKRecord(coder: coder)
        }
        let record =
            stored ?? CKRecord(recordType: KeyValueFormat.recordType, recordID: recordID(forKey: key))
        record[KeyValueFormat.keyField] = key
        record[KeyValueFormat.valueField] = pending.value
        record[KeyValueFormat.ageField] = pending.stamp.age(at: replica.now)
        return record
    }

    // MARK: - The first download

    /// Fetches all that the server has, if that was not done yet for who is signed in. Nothing is sent before.
    private func download() {
        let begins = state.withLock { state -> CKSyncEngine? in
            let contents = replica.contents
            guard !state.isDownloading, contents.account != nil, contents.firstDownload != nil else { return nil }
            guard let engine = state.engine else { return nil }
            state.isDownloading = true
            return engine
        }
        guard let engine = begins else { return }
        let account = replica.contents.account
        Task.detached { [weak self, zoneID] in
            let isDone: Bool
            do {
                try await engine.fetchChanges(CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zoneID])))
                isDone = true
            } catch {
                isDone = false
            }
            self?.state.withLock { $0.isDownloading = false }
            guard isDone else {
                self?.downloadLater()
                return
            }
            await self?.change { contents in
                if contents.account == account { contents.finishFirstDownload() }
            }
            self?.sendPending()
        }
    }

    /// Tries the first download again after a while, unless the engine fetches before that.
    private func downloadLater() {
        let isPlanned = state.withLock { state in
            defer { state.isDownloadPlanned = true }
            return state.isDownloadPlanned
        }
        guard !isPlanned else { return }
        Task.detached { [weak self] in
            do { try await Task.sleep(for: Self.downloadPause) } catch { return }
            self?.state.withLock { $0.isDownloadPlanned = false }
            self?.download()
        }
    }

    /// Changes the store on a thread that may wait for the disk.
    private func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyValueContents) -> Result
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            queue.async { [replica] in continuation.resume(returning: replica.change(body)) }
        }
    }
}

// MARK: - What the engine asks and tells

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
        guard contents.account != nil, contents.firstDownload == nil else { return nil }
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
        guard !state.withLock({ $0.isClosed }) else { return }
        switch event {
        case .stateUpdate(let update): await keep(update.stateSerialization)
        case .accountChange(let change): await take(change.changeType)
        case .fetchedDatabaseChanges(let changes):
            if changes.deletions.contains(where: { $0.zoneID.zoneName == zoneID.zoneName }) {
                state.withLock { $0.listed = [] }
            }
        case .fetchedRecordZoneChanges(let changes): await take(changes)
        case .didFetchChanges(let end):
            await forgetUnlisted()
            if end.context.reason != .manual { download() }
        case .sentRecordZoneChanges(let changes): await take(changes)
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

    private func take(_ change: CKSyncEngine.Event.AccountChange.ChangeType) async {
        state.withLock { $0.sending = [:] }
        await self.change { contents in
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

    private func take(_ changes: CKSyncEngine.Event.FetchedRecordZoneChanges) async {
        let fetched = changes.modifications.compactMap { entry(of: $0.record) }
        let gone = Set(
            changes.deletions.map(\.recordID).filter { $0.zoneID.zoneName == zoneID.zoneName }.map(\.recordName))
        state.withLock { $0.listed?.formUnion(fetched.map(\.key)) }
        await change { contents in
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

    /// A zone that is gone, or was listed anew, has only what was fetched since.
    private func forgetUnlisted() async {
        let listed = state.withLock { state -> Set<String>? in
            guard !state.isListingUnfinished else { return nil }
            defer { state.listed = nil }
            return state.listed
        }
        guard let listed else { return }
        await change { $0.keep(onlyKeys: listed) }
        sendPending()
    }

    // MARK: - What was sent

    private func take(_ changes: CKSyncEngine.Event.SentRecordZoneChanges) async {
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
        let again = await change { contents in
            contents.forget(contents.entries.keys.filter { deleted.contains(KeyValueFormat.recordName(forKey: $0)) })
            return contents.settle(settled)
        }
        let engine = state.withLock { $0.engine }
        engine?.state.add(pendingRecordZoneChanges: (again ?? []).map { .saveRecord(recordID(forKey: $0)) })
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
