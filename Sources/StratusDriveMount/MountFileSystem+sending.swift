import Foundation
import StratusCloudKit
import StratusCloudModel

/// Brings what is pending to the server.
extension MountFileSystem {
    /// Sends what is pending of some items, all in one step, after the folders that they are in.
    /// - Throws: ``CloudFailure``. What was not sent stays pending.
    func send(_ ids: [String]) async throws {
        for folder in unsentFolders(of: ids) { try await send([folder]) }
        await begin(ids)
        defer { end(ids) }
        var attempt = 0
        while true {
            try forgetUnknown(ids)
            let items = state.withLock { state in
                ids.compactMap { state.tree.items[$0] }.filter { item in
                    !item.pending.isEmpty && !(state.open[item.id]?.isDirty ?? false)
                }
            }
            guard !items.isEmpty else { return }
            do {
                try await save(items.filter { !$0.pending.contains(.purge) })
                try await purge(items.filter { $0.pending.contains(.purge) })
                return
            } catch let failure as CloudFailure {
                attempt += 1
                guard case .refused(let error) = failure, attempt <= FileLimits.numbersTried, items.count == 1 else {
                    throw failure
                }
                if let copy = try newFile(insteadOf: items[0], error) { return try await send([copy]) }
                guard evade(error, items[0]) else { throw failure }
            }
        }
    }

    /// Removes items that were deleted before the server ever had them.
    private func forgetUnknown(_ ids: [String]) throws {
        let gone = state.withLock { state in
            let gone = ids.filter { id in state.tree.items[id].map { !$0.isOnServer && !$0.isShown } ?? false }
            for id in gone { state.tree.remove(id) }
            return gone
        }
        if !gone.isEmpty { try persist(gone) }
    }

    /// Folders around items that the server does not have yet.
    private func unsentFolders(of ids: [String]) -> [String] {
        state.withLock { state in
            var folders: [String] = []
            for id in ids {
                guard let folder = state.tree.items[id]?.folder, !ids.contains(folder), !folders.contains(folder),
                    let item = state.tree.items[folder], item.pending.contains(.creation)
                else { continue }
                folders.append(folder)
            }
            return folders
        }
    }

    /// Waits until none of the items is on its way.
    private func begin(_ ids: [String]) async {
        while true {
            let isFree = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                let isFree = state.withLock { state in
                    guard state.sending.isDisjoint(with: ids) else {
                        state.sendWaiters.append(WaitingSend(continuation))
                        return false
                    }
                    state.sending.formUnion(ids)
                    return true
                }
                if isFree { continuation.resume(returning: true) }
            }
            if isFree { return }
        }
    }

    private func end(_ ids: [String]) {
        let waiters = state.withLock { state in
            state.sending.subtract(ids)
            defer { state.sendWaiters = [] }
            return state.sendWaiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    private func save(_ items: [MountedItem]) async throws {
        guard !items.isEmpty else { return }
        let records = items.map { item in
            let sends = item.pending.contains(.content) && item.pending.isDisjoint(with: .deletion)
            return item.record(content: sends ? item.unsent.map { URL(fileURLWithPath: cache.path($0)) } : nil)
        }
        let results: [CKRecord.ID: Result<CKRecord, any Error>]
        do {
            results = try await database.modifyRecords(
                saving: records, deleting: [], savePolicy: .changedKeys, atomically: true
            ).saveResults
        } catch {
            throw CloudFailure(error)
        }
        let failures = results.values.compactMap { result -> CKError? in
            if case .failure(let error) = result { error as? CKError } else { nil }
        }
        if let error = failures.first(where: { $0.code != .batchRequestFailed }) ?? failures.first {
            throw CloudFailure(error)
        }
        for item in items {
            guard case .success(let record)? = results[FileRecord.recordID(item.id)] else {
                throw CloudFailure.unreachable
            }
            try acknowledge(item, record)
        }
    }

    /// Deletes files for good whose content is another file's now.
    private func purge(_ items: [MountedItem]) async throws {
        for item in items {
            if item.isOnServer {
                var deleted = item
                deleted.pending = .deletion
                do {
                    _ = try await database.modifyRecords(
                        saving: [deleted.record(content: nil)], deleting: [], savePolicy: .changedKeys)
                    _ = try await database.modifyRecords(
                        saving: [], deleting: [FileRecord.recordID(item.id)], savePolicy: .changedKeys)
                } catch {
                    throw CloudFailure(error)
                }
            }
            state.withLock { _ = $0.tree.remove(item.id) }
            try persist([item.id])
        }
    }

    /// Takes over that the server has what was sent of an item.
    private func acknowledge(_ sent: MountedItem, _ record: CKRecord) throws {
        let content = (record[FileFormat.content] as? CKAsset)?.serverDescription
        let isSettled = state.withLock { state in
            guard var item = state.tree.items[sent.id] else { return true }
            if sent.pending.contains(.deletion) {
                state.tree.remove(item.id)
                return true
            }
            item.saved = max(item.saved, record.modificationDate ?? .distantPast)
            item.pending.remove(.creation)
            if let content, sent.pending.contains(.content) {
                item.checksum = content.checksum
                Self.use(content.size, &state)
            }
            if item.generation == sent.generation {
                item.pending = []
            } else if item.unsent == sent.unsent {
                item.pending.remove(.content)
            }
            let isSettled = item.unsent == sent.unsent
            if isSettled { item.unsent = nil }
            state.tree.put(item)
            return isSettled
        }
        try persist([sent.id])
        guard let unsent = sent.unsent, isSettled else { return }
        if let content, sent.pending.contains(.content), sent.pending.isDisjoint(with: .deletion) {
            cache.keep(unsent, checksum: content.checksum, size: content.size, isOpen: false)
        } else {
            discard(unsent)
        }
    }
}

/// A task that waits until other changes of its items have been sent.
struct WaitingSend: Sendable {
    let continuation: CheckedContinuation<Bool, Never>

    init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = continuation }
}
