import Foundation
import Glibc
import StratusCloudKit
import StratusCloudModel
import StratusWorkers

/// Contents of files that programs open.
extension MountFileSystem {
    /// Opens a file. Its content is here or on its way when this returns.
    func open(_ inode: UInt64, truncates: Bool) async throws -> UInt64 {
        let (file, handle) = try state.withLock { state throws(SystemError) in
            try Self.handle(for: inode, &state)
        }
        do {
            if truncates {
                try await truncate(file, to: 0)
            } else {
                try await file.turn.run { try await self.load(file) }
            }
        } catch {
            close(handle)
            throw error
        }
        return handle
    }

    /// Makes a file and opens it.
    func create(_ name: String, isExecutable: Bool, in parent: UInt64) throws(SystemError) -> (
        FileAttributes, handle: UInt64
    ) {
        let added = try add(name, kind: .file, isExecutable: isExecutable, in: parent)
        return try state.withLock { state throws(SystemError) in
            let (file, handle) = try Self.handle(for: added.inode, &state)
            file.note(isWhole: true)
            return (FileAttributes(inode: added.inode, item: added.item), handle)
        }
    }

    private static func handle(
        for inode: UInt64, _ state: inout State
    ) throws(SystemError) -> (OpenFile, handle: UInt64) {
        let file: OpenFile
        if let detached = state.detached[inode] {
            file = detached
        } else {
            guard let id = state.ids[inode], let item = state.tree.items[id] else { throw SystemError(ENOENT) }
            guard item.kind == .file else { throw SystemError(item.kind == .folder ? EISDIR : ELOOP) }
            file = state.open[id] ?? OpenFile(item)
            state.open[id] = file
        }
        let handle = state.nextHandle
        state.nextHandle += 1
        state.handles[handle] = file
        file.state.withLock { $0.handles += 1 }
        return (file, handle)
    }

    func file(_ handle: UInt64) throws(SystemError) -> OpenFile {
        guard let file = state.withLock({ $0.handles[handle] }) else { throw SystemError(EBADF) }
        return file
    }

    // MARK: - Loading

    /// Opens the content that a file has now, or begins to download it.
    private func load(_ file: OpenFile) async throws {
        let current = file.state.withLock { $0 }
        guard case .none = current.source, !current.isWhole else {
            // Another attempt, after one that failed.
            guard current.failure != nil else { return }
            file.state.withLock { ($0.failure, $0.source) = (nil, .none) }
            return try await load(file)
        }
        if let unsent = current.item.unsent {
            let number = Glibc.open(cache.path(unsent), O_RDONLY | O_CLOEXEC)
            guard number >= 0 else { throw SystemError.last }
            file.state.withLock { ($0.source, $0.descriptor) = (.unsent(name: unsent), Descriptor(number)) }
        } else if let checksum = current.item.checksum {
            guard let descriptor = cache.open(checksum: checksum) else { return try await download(file) }
            file.state.withLock { ($0.source, $0.descriptor) = (.cached(checksum: checksum), descriptor) }
        }
        file.note(isWhole: true)
    }

    /// Begins a download, and returns when the server has said what comes.
    private func download(_ file: OpenFile) async throws {
        let (name, descriptor) = try cache.makeFile()
        let id = file.id
        let path = cache.path(name)
        try await withCheckedThrowingContinuation { (begun: CheckedContinuation<Void, any Error>) in
            let first = FirstAnswer(begun)
            let task = Task(executorPreference: pool) { [self] in
                do {
                    try await database.downloadAsset(
                        FileFormat.content, of: MountedItem.recordID(id), to: path,
                        begin: { content in
                            file.begin(content, name: name, descriptor)
                            first.succeed()
                        },
                        progress: { count in file.progress(count, name) })
                    try finish(file, name, descriptor)
                } catch {
                    let error = (error as? SystemError) ?? CloudFailure(error).downloadError
                    cache.remove(name)
                    file.note(failure: error)
                    first.fail(error)
                }
            }
            file.state.withLock { $0.download = task }
        }
    }

    /// Checks what was downloaded, and keeps it. A content that is not what the server says is never whole.
    private func finish(_ file: OpenFile, _ name: String, _ descriptor: Descriptor) throws(SystemError) {
        let (checksum, size) = file.state.withLock { ($0.item.checksum, $0.size) }
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else { throw .last }
        guard let checksum, Int64(status.st_size) == size, try cache.checksum(of: descriptor) == checksum else {
            throw SystemError(EIO)
        }
        cache.keep(name, checksum: checksum, size: size, isOpen: true)
        let isWanted = file.state.withLock { state in
            guard state.handles > 0, case .download(name) = state.source else { return false }
            state.source = .cached(checksum: checksum)
            return true
        }
        guard isWanted else { return cache.close(checksum: checksum) }
        file.note(isWhole: true)
    }

    // MARK: - Writing

    /// Makes the copy that programs write to, where there is none.
    func makeWritable(_ file: OpenFile, keepsContent: Bool = true) async throws {
        try await file.turn.run {
            guard !file.isWritable else { return }
            if keepsContent {
                try await self.load(file)
                try await file.wait()
            }
            let (name, descriptor) = try self.cache.makeFile()
            let former = file.state.withLock { $0 }
            do throws(SystemError) {
                if keepsContent, let source = former.descriptor {
                    // Another position than that of the descriptor, which others may use.
                    let copied = Glibc.open("/proc/self/fd/\(source.number)", O_RDONLY | O_CLOEXEC)
                    guard copied >= 0 else { throw .last }
                    try ContentCache.copy(from: Descriptor(copied), to: descriptor)
                }
            } catch {
                self.cache.remove(name)
                throw error
            }
            file.state.withLock { state in
                state.source = .working(name: name)
                state.descriptor = descriptor
                if !keepsContent { state.size = 0 }
                (state.isWhole, state.available, state.failure) = (true, state.size, nil)
            }
            self.release(former.source)
        }
    }

    func truncate(_ file: OpenFile, to size: Int64) async throws {
        guard size <= Self.fileSize else { throw SystemError(EFBIG) }
        try await makeWritable(file, keepsContent: size > 0)
        try file.truncate(to: size)
    }

    /// `truncate(2)`: without an open file.
    func truncate(_ inode: UInt64, to size: Int64) async throws {
        let (file, handle) = try state.withLock { state throws(SystemError) in
            try Self.handle(for: inode, &state)
        }
        do {
            try await truncate(file, to: size)
            try await publish(file)
        } catch {
            close(handle)
            throw error
        }
        close(handle)
    }

    /// The largest file that the kernel asks about.
    private static let fileSize = Int64.max >> 1

    // MARK: - Closing

    /// Gives a file the content that programs wrote, and sends it. Returns when the server has it or cannot be
    /// reached.
    func publish(_ file: OpenFile) async throws {
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
                // Somebody deleted the file for good meanwhile: what was written is a new one.
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
            // The program is gone, so nobody can be told; what is not sent stays.
            do { try await publish(file) } catch { wake() }
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

    private func release(_ source: OpenFile.Source) {
        if case .cached(let checksum) = source { cache.close(checksum: checksum) }
    }

    /// Publishes all that programs have written and not closed, before the file system is unmounted.
    func publishAll() async {
        for file in state.withLock({ Array($0.open.values) }) where file.isDirty {
            do { try await publish(file) } catch { wake() }
        }
    }
}

extension OpenFile {
    fileprivate func begin(_ content: AssetDescription, name: String, _ descriptor: Descriptor) {
        state.withLock { state in
            guard case .none = state.source, !state.isWhole else { return }
            state.source = .download(name: name)
            state.descriptor = descriptor
            state.item.checksum = content.checksum
            (state.item.size, state.size, state.available) = (content.size, content.size, 0)
        }
    }

    /// The last piece is held back until all have been checked.
    fileprivate func progress(_ count: Int64, _ name: String) {
        let isNews = state.withLock { state in
            if case .download(name) = state.source { count < state.size } else { false }
        }
        if isNews { note(available: count) }
    }
}

/// Answers a program's `open` once, when its download has begun or failed.
private final class FirstAnswer: Sendable {
    private let continuation: Lock<CheckedContinuation<Void, any Error>?>

    init(_ continuation: CheckedContinuation<Void, any Error>) { self.continuation = Lock(continuation) }

    func succeed() { take()?.resume() }
    func fail(_ error: SystemError) { take()?.resume(throwing: error) }

    private func take() -> CheckedContinuation<Void, any Error>? {
        continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
    }
}

extension CloudFailure {
    /// What a program is told that opens or reads a file.
    fileprivate var downloadError: SystemError {
        if case .refused(let error) = self, error.code == .unknownItem { return SystemError(ESTALE) }
        return SystemError(EIO)
    }
}
