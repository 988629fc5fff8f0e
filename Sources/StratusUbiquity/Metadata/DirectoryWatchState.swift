import Glibc

/// The directories that a ``DirectoryWatch`` watches, and what has happened in them.
struct DirectoryWatchState {
    /// A change of the attributes of an item that is not reported.
    struct OwnChange {
        let name: [UInt8]
        let directory: FileIdentity?
        let item: FileIdentity?
    }

    private struct Directory {
        let path: [UInt8]
        let identity: FileIdentity
    }

    /// Written files that are noted, at most. With more of them, a write counts as any other event.
    private static let writtenLimit = 256

    private var directories: [Int32: Directory] = [:]
    /// The watches of directories, by their identities.
    private var watches: [FileIdentity: Int32] = [:]
    /// The watches of the directories of ``DirectoryWatch/follow(_:)``.
    var watched: [String: Int32] = [:]
    private(set) var changes = DirectoryWatch.Changes()
    /// The paths of files that were written. The end of the writing was not reported yet, or never is.
    private(set) var written: Set<[UInt8]> = []
    var isStopped = false
    /// Whether the events that happen are read later.
    var isPausing = false
    /// The time after which events are read again.
    var pause = DirectoryWatch.firstPause

    // MARK: - Directories

    /// The number of directories that ``add(_:_:_:)`` has added.
    var count: Int { directories.count }

    mutating func add(_ watch: Int32, _ path: String, _ identity: FileIdentity) {
        directories[watch] = Directory(path: Array(path.utf8), identity: identity)
        watches[identity] = watch
    }

    func watch(of identity: FileIdentity) -> Int32? { watches[identity] }

    /// Whether a directory is watched, and reported with this path.
    func isFollowing(_ path: String, _ identity: FileIdentity) -> Bool {
        guard let watch = watches[identity], let directory = directories[watch] else { return false }
        return directory.path.elementsEqual(path.utf8)
    }

    /// The watches of directories whose paths are not among these.
    func watches(except paths: Set<[UInt8]>) -> [Int32] {
        directories.filter { !paths.contains($0.value.path) }.map(\.key)
    }

    mutating func forget(_ watch: Int32) {
        guard let directory = directories.removeValue(forKey: watch) else { return }
        if watches[directory.identity] == watch { watches[directory.identity] = nil }
    }

    // MARK: - Changes

    mutating func takeChanges() -> DirectoryWatch.Changes {
        defer { (changes, written) = (DirectoryWatch.Changes(), []) }
        return changes
    }

    mutating func takeWritten() -> Set<[UInt8]> {
        defer { written = [] }
        return written
    }

    mutating func note(changeIn path: String) { changes.paths.insert(Array(path.utf8)) }

    /// Notes events.
    /// - Parameter own: A change that is not noted.
    /// - Returns: Whether one of them is more than a write.
    mutating func note(_ events: UnsafeRawBufferPointer, except own: OwnChange?) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        let (parent, item) = (own?.directory.flatMap { watches[$0] }, own?.item.flatMap { watches[$0] })
        var isMore = false
        var last: Int32?
        var rest = events[...]
        while rest.count >= header {
            let event = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: EventHeader.self)
            let name = rest.dropFirst(header).prefix(Int(event.length)).prefix { $0 != 0 }
            rest = rest.dropFirst(header + Int(event.length))
            if let own, event.mask & UInt32(IN_ATTRIB) != 0,
                name.isEmpty ? event.watch == item : event.watch == parent && name.elementsEqual(own.name)
            {
                continue
            }
            if event.mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { changes.isIncomplete = true }
            if let directory = directories[event.watch] {
                if event.watch != last { changes.paths.insert(directory.path) }
                if event.mask & UInt32(IN_MODIFY) == 0 || !noteWrite(of: name, in: directory) { isMore = true }
            } else if event.mask & UInt32(IN_MODIFY) == 0 {
                isMore = true
            }
            last = event.watch
            if event.mask & UInt32(IN_IGNORED) != 0 { forget(event.watch) }
        }
        return isMore
    }

    private mutating func noteWrite(of name: Slice<UnsafeRawBufferPointer>, in directory: Directory) -> Bool {
        guard !name.isEmpty, written.count < Self.writtenLimit else { return false }
        written.insert(directory.path + [UInt8(ascii: "/")] + name)
        return true
    }

    /// An event without the name that follows it.
    private struct EventHeader {
        var watch: Int32
        var mask: UInt32
        var cookie: UInt32
        var length: UInt32
    }
}
