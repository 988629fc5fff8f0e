import Foundation
import Glibc
import StratusCloudCrypto
import StratusDeviceCredentials
import StratusWorkers

/// Where a container's long-lived operations are kept: a directory for each, with what to do, what became of it, and
/// copies of the files of its assets. All calls but ``seal()`` block.
package final class OperationStore: Sendable {
    /// Seconds that a finished operation is kept for whoever asks for its results: 24 hours, as Apple documents.
    static let finishedLifetime: TimeInterval = 24 * 60 * 60
    /// Seconds that an operation may wait for a process to go on with it: a week.
    static let unfinishedLifetime: TimeInterval = CallOptions.week

    private let directory: String
    /// Whether the directory goes with this.
    private let isTemporary: Bool
    private let now: @Sendable () -> Date
    /// Where the key is that the operations are sealed with.
    private let keys: any DeviceKeyStore
    private let knownSeal = Lock<OperationSeal?>(nil)
    /// The operations of this process that are kept here, by name: they are not in other hands.
    private let own = Lock<[CKOperation.ID: WeakOperation]>([:])

    private struct WeakOperation: Sendable {
        weak var operation: CKOperation?
    }

    init(
        directory: String, keys: any DeviceKeyStore, isTemporary: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.keys = keys
        self.directory = directory
        self.isTemporary = isTemporary
        self.now = now
    }

    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: directory) } }

    /// One in the temporary directory that goes when nobody holds it: for containers that were given no place.
    package static func temporary() -> OperationStore {
        OperationStore(
            directory: FileManager.default.temporaryDirectory.path + "/stratus-operations-" + UUID().uuidString,
            keys: MemoryKeyStore(), isTemporary: true)
    }

    /// What seals the operations, with a key that is made with the first of them.
    /// - Throws: ``DeviceKeyStoreError``
    func seal() async throws -> OperationSeal {
        if let known = knownSeal.withLock({ $0 }) { return known }
        let name = "operations/" + directory
        var key = try await keys.secret(named: name)
        if key?.count != AES256GCM.keyLength {
            // Another process must not make another one meanwhile.
            let lock = try await LocalFile.waiting { [directory] in
                try PrivateDirectory.make(directory)
                return try FileLock.waiting(directory + "/.lock")
            }
            defer { withExtendedLifetime(lock) {} }
            key = try await keys.secret(named: name)
            if key?.count != AES256GCM.keyLength {
                let made = RandomSource.system.bytes(AES256GCM.keyLength)
                try await keys.setSecret(made, named: name)
                key = made
            }
        }
        guard let key else { throw DeviceKeyStoreError("There is no key for long-lived operations.") }
        let seal = OperationSeal(key: key)
        knownSeal.withLock { $0 = seal }
        return seal
    }

    /// Writes an operation down. It is there, durably, when this returns.
    /// - Parameter prepare: makes the archive; is given a directory for files that belong to it.
    func add(
        _ operation: CKOperation, _ seal: OperationSeal, prepare: (_ files: OperationFiles) throws -> Data
    ) throws -> KeptOperation {
        try PrivateDirectory.make(directory)
        removeOld()
        let id = operation.operationID
        let temporary = directory + "/.new-" + id
        try PrivateDirectory.make(temporary)
        do {
            let data = try prepare(OperationFiles(directory: temporary, later: directory + "/" + id))
            try KeptOperation.write(seal.seal(data, as: KeptOperation.place(of: id)), to: temporary + "/operation")
            // Taken before others can see it.
            guard let lock = try FileLock.trying(temporary + "/lock") else { throw CocoaError(.fileLocking) }
            guard rename(temporary, directory + "/" + id) == 0 else { throw CocoaError(.fileWriteUnknown) }
            KeptOperation.sync(directory)
            register(operation)
            return KeptOperation(id: id, directory: directory + "/" + id, lock: lock, seal: seal)
        } catch {
            try? FileManager.default.removeItem(atPath: temporary)
            throw error
        }
    }

    /// The operation that this process has in hand, by name.
    func ownOperation(_ id: CKOperation.ID) -> CKOperation? {
        own.withLock { $0[id] }?.operation.flatMap { $0.kept == nil ? nil : $0 }
    }

    func register(_ operation: CKOperation) {
        own.withLock { own in
            own = own.filter { $0.value.operation != nil }
            own[operation.operationID] = WeakOperation(operation: operation)
        }
    }

    /// The names of the operations that wait for somebody, or are this process's own. Those that other processes have in
    /// hand are left out.
    func operationIDs() -> [CKOperation.ID] {
        removeOld()
        return names().filter { ownOperation($0) != nil || (try? open($0, nil)) != nil }.sorted()
    }

    /// Whether there is an operation of the name, in whosever hands.
    func contains(_ id: CKOperation.ID) -> Bool {
        UUID(uuidString: id) != nil && FileManager.default.fileExists(atPath: directory + "/" + id + "/operation")
    }

    /// Takes an operation in hand; nil if there is none of the name, or another process has it.
    /// - Parameter seal: nil where nobody looks into it.
    func open(_ id: CKOperation.ID, _ seal: OperationSeal?) throws -> KeptOperation? {
        let path = directory + "/" + id
        guard contains(id), let lock = try FileLock.trying(path + "/lock") else { return nil }
        // Whoever had it may have finished it just now.
        guard FileManager.default.fileExists(atPath: path + "/operation") else { return nil }
        return KeptOperation(id: id, directory: path, lock: lock, seal: seal)
    }

    private func names() -> [CKOperation.ID] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { UUID(uuidString: $0) != nil }
    }

    /// Removes what nobody came for in time.
    private func removeOld() {
        for id in names() where ownOperation(id) == nil {
            guard let kept = try? open(id, nil), let (isFinished, changed) = kept.age else { continue }
            let lifetime = isFinished ? Self.finishedLifetime : Self.unfinishedLifetime
            if now().timeIntervalSince(changed) > lifetime { kept.remove() }
        }
    }
}

/// Directories that only their user may enter.
private enum PrivateDirectory {
    static func make(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
