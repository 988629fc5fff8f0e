import Dispatch
import Foundation
import StratusCloudKit
import StratusCloudModel
import StratusDeviceCredentials
import StratusWorkers

/// Carries a store to the cloud and back, for all processes of the machine that share it: the one that holds the lock
/// does it.
final class KeyValueSync: Sendable {
    struct State: Sendable {
        var engine: CKSyncEngine?
        var lock: FileLock?
        /// Pending changes that are on their way, by key.
        var sending: [String: UInt64] = [:]
        /// The keys that the zone still has, while it is listed again; nil at other times.
        var listed: Set<String>?
        /// Whether the listing goes on with the next fetch.
        var isListingUnfinished = false
        var isDownloading = false
        var isDownloadPlanned = false
        var isClosed = false
    }

    /// The pause between two attempts of the first download. The engine's own attempts come in between.
    private static let downloadPause = Duration.seconds(30)

    let replica: KeyValueReplica
    let file: KeyValueFile
    private let container: CKContainer
    let zoneID: CKRecordZone.ID
    let state = Lock(State())
    /// Disks are waited for here.
    let queue = DispatchQueue(label: "org.stratus.key-value-sync")

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

    /// Passes pending changes to the engine, once the first download has finished.
    func sendPending() {
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

    func recordID(forKey key: String) -> CKRecord.ID {
        CKRecord.ID(recordName: KeyValueFormat.recordName(forKey: key), zoneID: zoneID)
    }

    func record(_ key: String, _ entry: KeyValueContents.Entry) -> CKRecord? {
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
    func download() {
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
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyValueContents) -> Result
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            queue.async { [replica] in continuation.resume(returning: replica.change(body)) }
        }
    }
}
