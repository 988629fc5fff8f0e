import Foundation
import Glibc

// `@unchecked Sendable`: the source never changes, and sources of Dispatch are safe from any thread.
/// Notices saves of other processes to the file of a store, with inotify.
///
/// SQLite writes its log before readers can see the commit. A store that posts notifications therefore touches its file
/// after each save, which is what others wait for.
final class StoreWatch: @unchecked Sendable {
    // SQLite changes the file itself when it copies its log into it, as programs do that do not touch the file.
    private static let events = UInt32(IN_ATTRIB) | UInt32(IN_MODIFY)

    private let source: any DispatchSourceRead

    /// - Parameter changed: Called on a queue of its own, once for several changes that come together.
    /// - Returns: Nil if the system has no watches left or the file does not exist.
    init?(_ path: String, changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, path, Self.events) >= 0 else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "NSPersistentStore.changes"))
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4_096)
            // The events say no more than that there is something to look at.
            while read(descriptor, &buffer, buffer.count) > 0 {}
            changed()
        }
        source.setCancelHandler { close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Makes the watches of other processes notice a save.
    static func touch(_ path: String) { _ = utimensat(AT_FDCWD, path, nil, 0) }
}
