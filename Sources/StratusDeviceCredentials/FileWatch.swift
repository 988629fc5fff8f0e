import Glibc

/// Tells when a file is made, replaced, changed or removed, also where its directories are made later. A thread of its
/// own sleeps until the system says so; nothing is polled.
public final class FileWatch: Sendable {
    private let watcher: Watcher

    /// Watches a file from now on. `changed` is called on a thread that may block, once for each change, or for several
    /// that come together.
    /// - Parameter path: absolute.
    /// - Returns: nil where the system has no watches left.
    public init?(_ path: String, changed: @escaping @Sendable () -> Void) {
        guard let watcher = Watcher(path, changed) else { return nil }
        self.watcher = watcher
        watcher.startThread()
    }

    deinit { watcher.stop() }
}

/// The thread's side.
///
/// `@unchecked Sendable`: everything that changes belongs to the thread, once there is one; `stop` only writes to a pipe.
private final class Watcher: @unchecked Sendable {
    private struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private static let events = [
        IN_CREATE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_CLOSE_WRITE, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    private let path: String
    private let changed: @Sendable () -> Void
    private let notify: Int32
    private let reading: Int32
    private let writing: Int32
    private var watched: (directory: String, descriptor: Int32)?
    private var stamp: Stamp?

    init?(_ path: String, _ changed: @escaping @Sendable () -> Void) {
        self.path = path
        self.changed = changed
        var ends: [Int32] = [-1, -1]
        notify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard notify >= 0, pipe(&ends) == 0 else {
            if notify >= 0 { close(notify) }
            return nil
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
        arm()
        stamp = currentStamp
        guard watched != nil else { return nil }
    }

    deinit {
        for descriptor in [notify, reading, writing] where descriptor >= 0 { close(descriptor) }
    }

    func startThread() {
        let context = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, watcherThreadMain, context.toOpaque())
        precondition(failure == 0, "no thread can be started: error \(failure)")
        pthread_detach(thread)
    }

    func stop() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func run() {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            arm()
            let current = currentStamp
            if current != stamp {
                stamp = current
                changed()
                continue
            }
            var waits = [
                pollfd(fd: notify, events: Int16(POLLIN), revents: 0),
                pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) > 0 else { continue }
            if waits[1].revents != 0 { return }
            // What happened is seen from the file itself.
            while read(notify, &buffer, buffer.count) > 0 {}
        }
    }

    /// Watches the file's directory, or the nearest one above it that there is.
    private func arm() {
        while true {
            let directory = nearestDirectory
            if let watched, watched.directory != directory { inotify_rm_watch(notify, watched.descriptor) }
            // A directory that was removed and made again is watched anew by this.
            let descriptor = inotify_add_watch(notify, directory, Self.events)
            watched = descriptor >= 0 ? (directory, descriptor) : nil
            if descriptor < 0, errno != ENOENT { return }
            if directory == nearestDirectory { return }
        }
    }

    private var nearestDirectory: String {
        var directory = path[...]
        while let slash = directory.lastIndex(of: "/"), slash != directory.startIndex {
            directory = directory[..<slash]
            var status = stat()
            if stat(String(directory), &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return String(directory) }
        }
        return "/"
    }

    private var currentStamp: Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_ctim.tv_sec,
            nanoseconds: status.st_ctim.tv_nsec)
    }
}

private func watcherThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Watcher>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
