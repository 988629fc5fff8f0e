import Foundation
import Glibc
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

    private struct Directory {
        let path: String
        let inode: UInt64
    }

    private struct State {
        var directories: [Int32: Directory] = [:]
        /// The watches of directories, by their identities.
        var watches: [UInt64: Int32] = [:]
        /// The watches of directories that ``follow(_:)`` watches.
        var watched: [String: Int32] = [:]
        var changes = Changes()
        var isStopped = false
    }

    private static let events = [
        IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    private let source: (any DispatchSourceRead)?
    private let descriptor: Int32
    private let events: UInt32
    private let state = Lock(State())

    /// - Parameters:
    ///   - seesWrites: Whether the directories of files that are being written are reported, too. A write alone does not
    ///     call `changed`, as the end of the writing does that.
    ///   - queue: The queue of `changed`; nil if it is never called.
    ///   - changed: Called after something happened in the directories.
    init?(seesWrites: Bool = false, queue: DispatchQueue?, changed: @escaping @Sendable () -> Void = {}) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        events = Self.events | (seesWrites ? UInt32(IN_MODIFY) : 0)
        source = queue.map { DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: $0) }
        source?.setEventHandler { [weak self] in
            if self?.read() == true { changed() }
        }
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
        let inode = UInt64(status.st_ino)
        return state.withLock { state in
            let watch = inotify_add_watch(descriptor, "/proc/self/fd/\(directory)", events)
            guard watch >= 0 else { return false }
            state.directories[watch] = Directory(path: path, inode: inode)
            state.watches[inode] = watch
            return true
        }
    }

    /// Ends watching the directories whose paths are not among these.
    func forget(except paths: Set<String>) {
        state.withLock { state in
            for (watch, directory) in state.directories where !paths.contains(directory.path) {
                inotify_rm_watch(descriptor, watch)
                Self.forget(watch, in: &state)
            }
        }
    }

    /// Whether the directory with an identity is watched, and reported with this path.
    func isFollowing(_ path: String, inode: UInt64) -> Bool {
        state.withLock { state in
            guard let watch = state.watches[inode], let directory = state.directories[watch] else { return false }
            return directory.path.utf8.elementsEqual(path.utf8)
        }
    }

    private static func forget(_ watch: Int32, in state: inout State) {
        guard let directory = state.directories.removeValue(forKey: watch) else { return }
        if state.watches[directory.inode] == watch { state.watches[directory.inode] = nil }
    }

    /// The changes that have happened up to now, since this was called last.
    func takeChanges() -> Changes {
        _ = read()
        return state.withLock { state in
            defer { state.changes = Changes() }
            return state.changes
        }
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
    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return state.withLock { state in
            var isMore = false
            while !state.isStopped {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                guard count > 0 else { break }
                buffer.withUnsafeBytes { bytes in
                    if Self.take(UnsafeRawBufferPointer(rebasing: bytes[..<count]), in: &state) { isMore = true }
                }
            }
            return isMore
        }
    }

    private static func take(_ events: UnsafeRawBufferPointer, in state: inout State) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var isMore = false
        var rest = events[...]
        while rest.count >= header {
            let event = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: EventHeader.self)
            rest = rest.dropFirst(header + Int(event.length))
            if event.mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { state.changes.isIncomplete = true }
            if event.mask & UInt32(IN_MODIFY) == 0 { isMore = true }
            if let directory = state.directories[event.watch] { state.changes.paths.insert(Array(directory.path.utf8)) }
            if event.mask & UInt32(IN_IGNORED) != 0 { forget(event.watch, in: &state) }
        }
        return isMore
    }

    /// An event without the name that follows it.
    private struct EventHeader {
        var watch: Int32
        var mask: UInt32
        var cookie: UInt32
        var length: UInt32
    }
}
