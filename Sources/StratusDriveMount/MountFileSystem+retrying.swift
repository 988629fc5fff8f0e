import StratusCloudKit
import StratusCloudModel

/// Sends again what the server refused, or could not be asked.
extension MountFileSystem {
    /// Changes an item so that the server takes it in spite of a refusal.
    /// - Returns: whether there is such a change. Otherwise the program that waits for the item gets the refusal.
    func evade(_ error: CKError, _ sent: MountedItem) -> Bool {
        // A program that made a folder or gave a name gets the error. Written contents and changes made offline are
        // kept.
        guard sent.kind == .file, sent.pending.contains(.creation) || sent.pending.contains(.content) else {
            return false
        }
        return change(sent, error)
    }

    /// Makes written content a new file if the server refuses it because another device deleted the file meanwhile.
    /// - Returns: the new file; nil for other refusals.
    func newFile(insteadOf sent: MountedItem, _ error: CKError) throws -> String? {
        guard sent.pending.contains(.content), error.code == .serverRecordChanged,
            error.serverRecord?[FileFormat.deleted] != nil
        else { return nil }
        return try apply([], deleted: [sent.id]).first
    }

    /// Gives an item a free name, a folder that exists, or a record of its own.
    func change(_ sent: MountedItem, _ error: CKError) -> Bool {
        state.withLock { state in
            guard var item = state.tree.items[sent.id] else { return false }
            switch error.code {
            case .constraintViolation:
                item.name = Self.numbered(item, state)
            case .referenceViolation:
                item.folder = MountedItem.root
                item.name = state.tree.freeName(for: item)
            // The server has no such record any more: a change alone is not enough to make one.
            case .invalidArguments, .unknownItem:
                guard item.isOnServer, item.pending.contains(.content) else { return false }
                item.pending.insert(.creation)
            default: return false
            }
            if item.isOnServer { item.pending.insert(.place) }
            item.generation += 1
            state.tree.put(item)
            return true
        }
    }

    /// The next numbered name that is free on this machine.
    private static func numbered(_ item: MountedItem, _ state: borrowing State) -> String {
        for number in 2..<(2 + FileLimits.numbersTried) {
            let name = FileName.numbered(item.name, number)
            if state.tree.child(name, of: item.folder) == nil { return name }
        }
        return item.name
    }

    /// Sends all that is pending, folders before what is in them.
    /// - Returns: whether anything is left.
    func sendPending() async -> Bool {
        let ids = state.withLock { state in
            state.tree.pending.compactMap { state.tree.items[$0] }.filter { item in
                // A file that a program is still writing for the first time is sent when it is closed.
                !(state.open[item.id] != nil && !item.isOnServer && item.unsent == nil)
            }.map { (id: $0.id, depth: state.tree.depth(of: $0.folder)) }
        }.sorted { $0.depth < $1.depth }.map(\.id)
        var isLeft = false
        for id in ids {
            guard !Task.isCancelled else { return true }
            do {
                try await send([id])
            } catch CloudFailure.refused(let error) {
                let item = state.withLock { $0.tree.items[id] }
                if let item, change(item, error) {
                    isLeft = true
                    continue
                }
                MountLog.write("'\(item?.name ?? id)' is not on the server: \(error.localizedDescription)")
                isLeft = true
            } catch CloudFailure.unreachable {
                return true
            } catch {
                MountLog.write("'\(id)' cannot be sent: \(error)")
                isLeft = true
            }
        }
        return isLeft
    }
}
