import Foundation
import Glibc

/// Watches directories with inotify.
///
/// `@unchecked Sendable`: everything that changes belongs to the queue.
final class DirectoryWatch: @unchecked Sendable {
    private static let events = [
        IN_CREATE, IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR,
    ].reduce(UInt32(0)) { $0 | UInt32($1) }

    private let source: any DispatchSourceRead
    private let descriptor: Int32
    private var watched: [String: Int32] = [:]

    /// - Parameter changed: Called on the queue after something happened in the directories.
    init?(queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            // The events are not read in detail, because the directories show the changes.
            while read(descriptor, &buffer, buffer.count) > 0 {}
            changed()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    /// Watches these directories and no others.
    /// - Returns: whether one of them was not watched before, so that something may have happened in it unseen.
    func follow(_ directories: Set<String>) -> Bool {
        for (path, watch) in watched where !directories.contains(path) {
            inotify_rm_watch(descriptor, watch)
            watched[path] = nil
        }
        var hasNew = false
        for path in directories {
            // This watches a directory again that was removed and recreated.
            let watch = inotify_add_watch(descriptor, path, Self.events)
            if watch >= 0, watched[path] != watch { hasNew = true }
            watched[path] = watch >= 0 ? watch : nil
        }
        return hasNew
    }

    func stop() { source.cancel() }
}
