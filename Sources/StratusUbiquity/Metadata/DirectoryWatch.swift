import Foundation
import Glibc
import StratusCUbiquity
import StratusWorkers

/// Watches directories with inotify.
///
/// `@unchecked Sendable`: everything that changes is in a lock. The source, which any thread may use, is set once.
final class DirectoryWatch: @unchecked Sendable {
    /// The directories in which something happened.
    struct Changes {
        /// Their paths, as bytes: strings of different bytes can be equal.
        var paths: Set<[UInt8]> = []
        /// Whether the system has lost reports, so that something may have happened in any directory.
        var isIncomplete = false
    }

    /// Milliseconds after a write until events are read again: twice as many each time while programs go on writing.
    static let firstPause = 50
    static let lastPause = 1_000
    /// Bytes of events that are read at a time.
    private static let piece = 65_536

    private static let events = [
        IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    private let source: (any DispatchSourceRead)?
    private let queue: DispatchQueue?
    private let changed: @Sendable () -> Void
    private let descriptor: Int32
    private let events: UInt32
    private let limit: Int
    private let state = Lock(DirectoryWatchState())

    /// - Parameters:
    ///   - seesWrites: Whether the directories of files that are being written are reported, too. A write alone calls
    ///     `changed` once no program has the file open for writing, as the end of the writing is an event of its own.
    ///   - limit: The number of open directories that are watched, at most. The system may allow fewer.
    ///   - queue: The queue of `changed`; nil if it is never called.
    ///   - changed: Called after something happened in the directories.
    init?(
        seesWrites: Bool = false, limit: Int = .max, queue: DispatchQueue?,
        changed: @escaping @Sendable () -> Void = {}
    ) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        (self.descriptor, self.queue, self.changed, self.limit) = (descriptor, queue, changed, limit)
        events = Self.events | (seesWrites ? UInt32(IN_MODIFY) : 0)
        source = queue.map { DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: $0) }
        source?.setEventHandler { [weak self] in self?.report() }
        source?.setCancelHandler { close(descriptor) }
        source?.resume()
    }

    deinit { stop() }

    /// Watches these directories and no others.
    /// - Returns: Whether one of them was not watched before, so that something may have happened in it unseen.
    func follow(_ directories: Set<String>) -> Bool {
        state.withLock { state in
            for (path, watch) in state.watched where !directories.contains(path) {
                inotify_rm_watch(descriptor, watch)
                state.watched[path] = nil
            }
            var hasNew = false
            for path in directories {
                // This watches a directory again that was removed and recreated.
                let watch = inotify_add_watch(descriptor, path, events)
                if watch >= 0, state.watched[path] != watch { hasNew = true }
                state.watched[path] = watch >= 0 ? watch : nil
            }
            return hasNew
        }
    }

    /// Watches an open directory, too.
    /// - Parameter path: The path that is reported.
    /// - Returns: Whether it is watched. The system watches a limited number of directories.
    func follow(_ path: String, _ directory: Int32) -> Bool {
        var status = stat()
        guard fstat(directory, &status) == 0 else { return false }
        let identity = FileIdentity(status)
        return state.withLock { state in
            guard state.count < limit || state.watch(of: identity) != nil else { return false }
            let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(directory)", events)
            guard watch >= 0 else { return false }
            state.add(watch, path, identity)
            return true
        }
    }

    /// Ends watching the directories whose paths are not among these.
    func forget(except paths: Set<String>) {
        let paths = Set(paths.map { Array($0.utf8) })
        state.withLock { state in
            for watch in state.watches(except: paths) {
                inotify_rm_watch(descriptor, watch)
                state.forget(watch)
            }
        }
    }

    /// Whether a directory is watched, and reported with this path.
    func isFollowing(_ path: String, _ identity: FileIdentity) -> Bool {
        state.withLock { $0.isFollowing(path, identity) }
    }

    /// The changes that have happened up to now, since this was called last.
    func takeChanges() -> Changes {
        state.withLock { state in
            _ = read(into: &state)
            return state.takeChanges()
        }
    }

    /// Changes attributes of an item in a directory, which is not reported. What others change meanwhile is, but for
    /// attributes of the same item.
    func changeAttributes(of name: String, in directory: String, _ body: () throws -> Void) throws {
        let own = DirectoryWatchState.OwnChange(
            name: Array(name.utf8), directory: FileIdentity(directory + "/."),
            item: FileIdentity(directory + "/" + name))
        let (result, isMore) = state.withLock { state in
            let isMore = read(into: &state)
            let result = Result { try body() }
            return (result, read(into: &state, except: own) || isMore)
        }
        report(isMore)
        try result.get()
    }

    /// Reports a change in a directory that the caller has noticed.
    func note(changeIn path: String) {
        state.withLock { $0.note(changeIn: path) }
        report(true)
    }

    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        if let source { source.cancel() } else { close(descriptor) }
    }

    // MARK: - Events

    /// Reads the events that have happened.
    /// - Returns: Whether one of them is more than a write.
    private func read(into state: inout DirectoryWatchState, except own: DirectoryWatchState.OwnChange? = nil) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 8) { buffer in
            var isMore = false
            while !state.isStopped {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                if state.note(UnsafeRawBufferPointer(rebasing: buffer[..<count]), except: own) { isMore = true }
            }
            return isMore
        }
    }

    private func report() { report(state.withLock { read(into: &$0) }) }

    /// - Parameter isMore: Whether one of the events that were read is more than a write.
    private func report(_ isMore: Bool) {
        guard let queue, let source else { return }
        if isMore { return queue.async(execute: changed) }
        let isPausing = state.withLock { state in
            guard !state.written.isEmpty, !state.isPausing, !state.isStopped else { return false }
            state.isPausing = true
            return true
        }
        guard isPausing else { return }
        // A program that writes all the time would else keep this one busy.
        source.suspend()
        queue.asyncAfter(deadline: .now() + .milliseconds(state.withLock { $0.pause })) { [self] in
            endPause()
            self.source?.resume()
        }
    }

    private func endPause() {
        let (isMore, files) = state.withLock { state in
            let former = state.takeWritten()
            let isMore = read(into: &state)
            let files = state.takeWritten()
            state.pause = files.isEmpty ? Self.firstPause : min(state.pause * 2, Self.lastPause)
            state.isPausing = false
            return (isMore, former.union(files))
        }
        // The end of other writing is reported. `truncate` has no file open.
        if isMore || files.contains(where: Self.isClosed) { changed() }
    }

    /// Whether certainly no program has a file open for writing.
    private static func isClosed(_ path: [UInt8]) -> Bool {
        let path = path.map { CChar(bitPattern: $0) } + [0]
        var status = stat()
        // Opening a pipe would be noticed by its writer.
        guard lstat(path, &status) == 0, status.kind == .file else { return false }
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return stratus_is_being_written(file) == 0
    }
}
