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
        /// The engine that ended because the disk did not take a change. What it still reports is ignored.
        var ended: CKSyncEngine?
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

        /// Whether the engine has ended, and no other one has begun.
        var isWaiting: Bool { engine == nil && ended != nil }
    }

    /// The pause between two attempts of the first download, and before a new engine takes the place of one whose
    /// changes could not be written. The engine's own attempts come in between.
    private static let pause = Duration.seconds(30)

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

    /// Passes pending changes to the engine, once the first download has finished. As this follows a write, the disk has
    /// room again for an engine that ended.
    func sendPending() {
        restart()
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
            let isCurrent = self?.state.withLock { state in
                state.isDownloading = false
                return state.engine === engine
            }
            guard isDone, isCurrent == true else {
                self?.downloadLater()
                return
            }
            await self?.change(by: engine) { contents in
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
            do { try await Task.sleep(for: Self.pause) } catch { return }
            self?.state.withLock { $0.isDownloadPlanned = false }
            self?.download()
        }
    }

    // MARK: - The disk

    /// Changes the store as an engine reports it, on a thread that may wait for the disk.
    ///
    /// If the disk does not take the change, the engine ends, and its state on the disk stays that of before. A new
    /// engine begins with that state some time later, so that it reports the change again.
    /// - Returns: what `body` returns; nil if the disk cannot be written.
    @discardableResult
    func change<Result: Sendable>(
        by engine: CKSyncEngine, _ body: @escaping @Sendable (inout KeyValueContents) -> Result
    ) async -> Result? {
        let result = await withCheckedContinuation { continuation in
            queue.async { [replica] in continuation.resume(returning: replica.change(body)) }
        }
        if result == nil { end(engine) }
        return result
    }

    /// Whether an engine reports changes that are taken over.
    func isCurrent(_ engine: CKSyncEngine) -> Bool { state.withLock { !$0.isClosed && $0.ended !== engine } }

    private func end(_ engine: CKSyncEngine) {
        let ends = state.withLock { state -> Bool in
            guard !state.isClosed, state.ended !== engine else { return false }
            (state.engine, state.ended) = (nil, engine)
            (state.sending, state.listed, state.isListingUnfinished) = ([:], nil, false)
            return true
        }
        guard ends else { return }
        // Not waited for: this is called while the engine reports something.
        Task.detached { [weak self] in
            await engine.cancelOperations()
            do { try await Task.sleep(for: Self.pause) } catch { return }
            self?.restart()
        }
    }

    /// Begins anew if the engine has ended.
    private func restart() {
        guard state.withLock({ $0.isWaiting }) else { return }
        // The store may be locked by the caller.
        queue.async { [weak self] in
            let lock = self?.state.withLock { state in state.isWaiting ? state.lock : nil }
            if let lock { self?.begin(lock) }
        }
    }
}
