import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel

/// Contents that programs wrote, from the close of a file until the server has them.
extension MountFileSystem {
    /// Gives a file the content that a program wrote through a handle, and sends it. Returns when the server has it or
    /// cannot be reached.
    func publish(_ file: OpenFile, closing handle: UInt64) async throws {
        if file.endsWriting(handle) { try await publish(file) }
    }

    /// Gives a file the content that programs wrote, and sends it. Returns when the server has it or cannot be
    /// reached.
    private func publish(_ file: OpenFile) async throws {
        guard let id = try await keep(file) else { return }
        do {
            try await send([id])
        } catch let failure as CloudFailure {
            wake()
            if case .refused = failure { throw failure.systemError }
        }
    }

    /// Gives a file the content that programs wrote.
    /// - Returns: the item to send; nil if nothing changed.
    private func keep(_ file: OpenFile) async throws -> String? {
        try await file.turn.run {
            let (current, isLost) = self.state.withLock { state in
                let current = file.state.withLock { $0 }
                return (current, state.tree.items[current.item.id] == nil)
            }
            guard !current.isUnlinked else { return nil }
            guard current.isDirty, case .working(let name) = current.source, let descriptor = current.descriptor else {
                let isNew = self.state.withLock { $0.tree.items[current.item.id]?.isOnServer == false }
                if isNew { try self.persist([current.item.id]) }
                return isNew ? current.item.id : nil
            }
            _ = descriptor
            let (id, former) = self.state.withLock { state -> (String, String?) in
                let base = state.tree.items[current.item.id]
                // The file was deleted for good meanwhile, so the written content becomes a new one.
                var item =
                    base
                    ?? MountedItem(
                        name: current.item.name, folder: current.item.folder, kind: .file, at: current.item.created)
                if isLost { item.name = state.tree.freeName(for: item) }
                let former = item.unsent
                item.unsent = name
                (item.size, item.modified) = (current.size, current.item.modified)
                item.isExecutable = current.item.isExecutable
                item.pending.insert(.content)
                item.generation += 1
                state.tree.put(item)
                if isLost { self.adopt(file, item, &state) }
                file.state.withLock { state in
                    state.item = item
                    state.source = .unsent(name: name)
                    state.isDirty = false
                }
                return (item.id, former == name ? nil : former)
            }
            try self.persist([id])
            if let former { self.discard(former) }
            return id
        }
    }

    private func adopt(_ file: OpenFile, _ item: MountedItem, _ state: inout State) {
        guard let inode = state.detached.first(where: { $0.value === file })?.key else { return }
        state.detached[inode] = nil
        state.inodes[item.id] = inode
        state.ids[inode] = item.id
        state.open[item.id] = file
    }

    /// Writes what programs wrote so far to disk. If the mount ends without closing the file, it counts as closed.
    func synchronize(_ file: OpenFile) async throws {
        let id = try await file.turn.run { () -> String? in
            let current = file.state.withLock { $0 }
            guard !current.isUnlinked, case .working(let name) = current.source, let descriptor = current.descriptor
            else { return nil }
            guard fsync(descriptor.number) == 0 else { throw SystemError.last }
            return self.state.withLock { state in
                guard current.isDirty, var item = state.tree.items[current.item.id] else { return nil }
                item.unsent = name
                (item.size, item.modified) = (current.size, current.item.modified)
                item.pending.insert(.content)
                item.generation += 1
                state.tree.put(item)
                return item.id
            }
        }
        if let id { try persist([id]) }
    }

    /// Ends the use of a file by one program. What was written after the last close is published in the background.
    func close(_ handle: UInt64) {
        guard let file = state.withLock({ $0.handles.removeValue(forKey: handle) }) else { return }
        Task(executorPreference: pool) { [self] in
            // The program does not wait for an error any more. Content that is not sent stays pending.
            do { try await publish(file, closing: handle) } catch { wake() }
            finish(file)
        }
    }

    private func finish(_ file: OpenFile) {
        let isLast = state.withLock { state in
            let (isLast, id) = file.state.withLock { state in
                state.handles -= 1
                return (state.handles == 0, state.item.id)
            }
            guard isLast else { return false }
            if state.open[id] === file { state.open[id] = nil }
            if let inode = state.detached.first(where: { $0.value === file })?.key { state.detached[inode] = nil }
            return true
        }
        guard isLast else { return }
        let (source, download) = file.state.withLock { state in
            defer { (state.source, state.download) = (.none, nil) }
            return (state.source, state.download)
        }
        if case .download = source { download?.cancel() }
        if case .working(let name) = source { return discard(name) }
        release(source)
    }

    func release(_ source: OpenFile.Source) {
        if case .cached(let checksum) = source { cache.close(checksum: checksum) }
    }

    /// Publishes all that programs have written and not closed, before the file system is unmounted.
    func publishAll() async {
        for file in state.withLock({ Array($0.open.values) }) where file.isDirty {
            do { try await publish(file) } catch { wake() }
        }
    }
}
