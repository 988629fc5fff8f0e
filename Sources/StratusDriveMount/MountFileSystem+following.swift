import Foundation
import StratusCloudKit
import StratusCloudModel

/// Follows what the server has.
extension MountFileSystem {
    /// Fetches all changes since the last time.
    func fetch() async throws {
        var token = store.token
        // The items that a listing has not named yet; nil while only changes are fetched.
        var unlisted = token == nil ? idsOnServer : nil
        while true {
            do {
                let page = try await database.recordZoneChangesWithoutBytes(
                    inZoneWith: FileRecord.zoneID, since: token, desiredKeys: MountedItem.fields)
                unlisted?.subtract(page.modifications.map(\.recordID.recordName))
                try apply(page.modifications, deleted: page.deletions.map(\.recordName))
                token = page.changeToken
                guard !page.moreComing else {
                    // A listing that breaks off begins again: what it did not list is not known yet.
                    if unlisted == nil { try store.setToken(token) }
                    continue
                }
                if let unlisted { try remove(unlisted) }
                return try store.setToken(token)
            } catch let error as CKError
                where token != nil && (error.code == .changeTokenExpired || error.isWithoutZone)
            {
                (token, unlisted) = (nil, idsOnServer)
            } catch let error as CKError where error.isWithoutZone {
                // The zone appears with the first item.
                try remove(unlisted ?? [])
                return try store.setToken(nil)
            }
        }
    }

    /// Takes over a page of changes, all at once.
    /// - Returns: items of this machine that take the place of others, or have another name now.
    @discardableResult
    func apply(_ records: [CKRecord], deleted: [String]) throws -> [String] {
        let forgotten = state.withLock { state in
            var forgotten: [KernelCache.Entry] = []
            var gone = deleted
            for record in records {
                guard let server = MountedItem(record) else {
                    gone.append(record.recordID.recordName)
                    continue
                }
                take(server, &state, &forgotten)
            }
            for id in gone { remove(id, &state, &forgotten) }
            return forgotten
        }
        let moved = forgotten.compactMap(\.moved)
        try persist(records.map(\.recordID.recordName) + deleted + moved)
        kernel.forget(forgotten)
        return moved
    }

    /// Items that the server has. A listing that is asked for later has all of them but those that were deleted; what
    /// gets to the server in the meantime may be missing in it.
    private var idsOnServer: Set<String> {
        state.withLock { state in Set(state.tree.items.values.filter(\.isOnServer).map(\.id)) }
    }

    private func remove(_ ids: Set<String>) throws {
        if !ids.isEmpty { try apply([], deleted: Array(ids)) }
    }

    private func take(_ server: MountedItem, _ state: inout State, _ forgotten: inout [KernelCache.Entry]) {
        guard let former = state.tree.items[server.id] else {
            makeRoom(for: server, &state, &forgotten)
            state.tree.put(server)
            return
        }
        // A page that was asked for before the state that is known here was saved.
        guard server.saved >= former.saved else { return }
        var item = former
        item.merge(server)
        // The folder of a file's unsent content may be another device's to choose; that it is deleted is not.
        makeRoom(for: item, &state, &forgotten)
        state.tree.put(item)
        if item.name != former.name || item.folder != former.folder {
            forgotten.append(Self.entry(of: former, state))
        }
        guard let inode = state.inodes[item.id] else { return }
        let isOtherContent = item.checksum != former.checksum && item.pending.isDisjoint(with: .content)
        if isOtherContent, let file = state.open[item.id], !file.isDirty {
            // Programs that have it open continue to read its former content. To others it is another file of the same
            // name.
            state.open[item.id] = nil
            state.detached[inode] = file
            file.state.withLock { $0.isUnlinked = true }
            Self.dropInode(of: item.id, &state)
            forgotten.append(Self.entry(of: former, state))
        } else if item != former {
            forgotten.append(KernelCache.Entry(inode: inode, isContent: isOtherContent))
        }
    }

    /// Gives an item that the server does not know another name, if an item of the server has its.
    private func makeRoom(for server: MountedItem, _ state: inout State, _ forgotten: inout [KernelCache.Entry]) {
        guard var other = state.tree.child(server.name, of: server.folder), other.id != server.id,
            !other.pending.isDisjoint(with: [.creation, .place])
        else { return }
        forgotten.append(Self.entry(of: other, state, moved: other.id))
        let free = state.tree.freeName(for: MountedItem(name: other.name, folder: other.folder, kind: .file, at: 0))
        other.name = free
        other.generation += 1
        state.tree.put(other)
    }

    private func remove(_ id: String, _ state: inout State, _ forgotten: inout [KernelCache.Entry]) {
        guard let item = state.tree.items[id] else { return }
        forgotten.append(Self.entry(of: item, state))
        state.tree.remove(id)
        let inode = Self.dropInode(of: id, &state)
        let file = state.open.removeValue(forKey: id)
        // Content that was written here and is not sent yet is kept as a new file, although another device deleted this
        // one.
        if item.unsent != nil, item.isShown {
            var copy = MountedItem(name: item.name, folder: item.folder, kind: item.kind, at: item.created)
            (copy.size, copy.modified, copy.isExecutable) = (item.size, item.modified, item.isExecutable)
            (copy.unsent, copy.generation) = (item.unsent, 1)
            copy.pending.insert(.content)
            copy.name = state.tree.freeName(for: copy)
            state.tree.put(copy)
            forgotten.append(Self.entry(of: copy, state, moved: copy.id))
            if let inode {
                state.inodes[copy.id] = inode
                state.ids[inode] = copy.id
            }
            if let file {
                file.state.withLock { $0.item = copy }
                state.open[copy.id] = file
            }
        } else if let file, let inode {
            // A program that is writing it makes it a new file when it closes it.
            if !file.isDirty { file.state.withLock { $0.isUnlinked = true } }
            state.detached[inode] = file
        }
    }

    private static func entry(
        of item: MountedItem, _ state: borrowing State, moved: String? = nil
    ) -> KernelCache.Entry {
        KernelCache.Entry(
            inode: state.inodes[item.id], isContent: false, folder: state.inodes[item.folder], name: item.name,
            moved: moved)
    }
}

extension CKError {
    fileprivate var isWithoutZone: Bool { code == .zoneNotFound || code == .userDeletedZone }
}
