import Dispatch
import Foundation
import Glibc
import StratusCloudModel
import StratusDeviceCredentials
import StratusWorkers

/// A process's copy of a store: in memory for readers and writers, and on disk together with other processes.
final class KeyValueReplica: Sendable {
    /// The time in which changes are collected before they are written to the disk.
    static let saveDelay = DispatchTimeInterval.milliseconds(100)

    private struct Write: Hashable, Sendable {
        var value: Data?
        var stamp: ChangeStamp
    }

    private struct State: Sendable {
        var contents = KeyValueContents()
        /// Changes of this process that are in memory only, by key.
        var unsaved: [String: Write] = [:]
        var latestAnnouncement: UInt64 = 0
        var isSaveScheduled = false
    }

    /// The content of a notification for apps.
    struct Notice: Sendable {
        var reason: KeyValueChangeReason
        var keys: [String]
    }

    private let file: KeyValueFile?
    private let clock: ChangeClock
    private let origin = UUID().uuidString
    private let state = Lock(State())
    /// Held while the file is read or written, which is done by one thread after another.
    private let fileAccess = Lock(())
    private let queue = DispatchQueue(label: "org.stratus.key-value-store")
    private let notify: @Sendable (Notice) -> Void
    private let pendingAdded = Lock<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - file: nil for a store in memory only.
    ///   - notify: Called on a queue of the replica's own.
    init(_ file: KeyValueFile?, clock: ChangeClock, notify: @escaping @Sendable (Notice) -> Void) {
        self.clock = clock
        self.notify = notify
        do {
            try file?.makeDirectory()
            let contents = try file?.read() ?? KeyValueContents()
            self.file = file
            state.withLock { state in
                state.contents = contents
                state.latestAnnouncement = contents.latestAnnouncement
            }
        } catch {
            Self.log("the key-value store is kept in memory only: \(error)")
            self.file = nil
        }
        for former in self.file?.former ?? [] { former.takeOver(takeOver) }
    }

    /// - Returns: false if the disk cannot be written.
    private func takeOver(_ pending: [String: KeyValueContents.Pending]) -> Bool {
        let stored: Void? = change { contents in
            for (key, change) in pending { _ = contents.write(change.value, forKey: key, at: change.stamp) }
        }
        return stored != nil
    }

    /// Whether it is kept on the disk.
    var isStored: Bool { file != nil }

    /// The present contents.
    var contents: KeyValueContents { state.withLock { $0.contents } }

    /// A key's value as a property list; nil if it has none.
    func value(forKey key: String) -> Data? { state.withLock { $0.contents.entries[key]?.value } }

    /// The present time.
    var now: ChangeStamp { clock.now() }

    /// Sets the function that is called when more changes wait to be sent.
    func onPendingChanges(_ body: (@Sendable () -> Void)?) { pendingAdded.withLock { $0 = body } }

    // MARK: - Changes of this process

    /// Sets a key's value, or removes it. A value without room is refused, and a notification reports it.
    func write(_ value: Data?, forKey key: String) {
        let stamp = clock.now()
        let (obstacle, schedules) = state.withLock { state -> (String?, Bool) in
            if let obstacle = state.contents.obstacle(to: value, forKey: key) { return (obstacle, false) }
            state.unsaved[key] = Write(value: value, stamp: stamp)
            _ = state.contents.write(value, forKey: key, at: stamp)
            defer { state.isSaveScheduled = true }
            return (nil, !state.isSaveScheduled)
        }
        if let obstacle { return refuse(key, obstacle) }
        guard schedules else { return }
        queue.asyncAfter(deadline: .now() + Self.saveDelay) { [self] in _ = save() }
    }

    /// Reports that a key was not set.
    func refuse(_ key: String, _ reason: String) {
        Self.log("key '\(key.prefix(64))' was not set: \(reason)")
        queue.async { [notify] in notify(Notice(reason: .quotaViolation, keys: [key])) }
    }

    /// Writes what this process changed to the disk, and takes over what others did. Blocks.
    /// - Returns: whether all is on the disk.
    func save() -> Bool {
        state.withLock { $0.isSaveScheduled = false }
        return change { _ in } != nil
    }

    // MARK: - The file

    /// Changes the stored contents, with what this process has changed in memory; nothing comes between. Blocks.
    /// - Returns: what `body` returns; nil if the disk cannot be written. Then the changes are in memory.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout KeyValueContents) -> Result) -> Result? {
        fileAccess.withLock { _ in
            do {
                let lock = try file?.lock()
                defer { withExtendedLifetime(lock) {} }
                let stored = try file?.read()
                let (known, writes) = state.withLock { ($0.contents, $0.unsaved) }
                var contents = stored ?? (file == nil ? known : KeyValueContents())
                add(writes, to: &contents)
                let result = body(&contents)
                if contents != stored { try file?.write(contents) }
                adopt(contents, saved: writes)
                return file == nil ? nil : result
            } catch {
                Self.log("the key-value store cannot be written: \(error)")
                return nil
            }
        }
    }

    /// Takes over what other processes wrote. Blocks.
    func refresh() {
        fileAccess.withLock { _ in
            // An error of reading is reported by the next write.
            guard let stored = try? file?.read() else { return }
            adopt(stored, saved: [:])
        }
    }

    private func add(_ writes: [String: Write], to contents: inout KeyValueContents) {
        var changed: [String] = []
        var refused: [String] = []
        for (key, write) in writes.sorted(by: { $0.key < $1.key }) {
            // Other processes may have taken the room meanwhile.
            guard contents.obstacle(to: write.value, forKey: key) == nil else {
                refused.append(key)
                continue
            }
            if contents.write(write.value, forKey: key, at: write.stamp) { changed.append(key) }
        }
        contents.announce(.server, changed, origin: origin)
        contents.announce(.quotaViolation, refused)
    }

    private func adopt(_ contents: KeyValueContents, saved: [String: Write]) {
        let (notices, isPending) = state.withLock { state -> ([Notice], Bool) in
            let former = state.contents
            state.contents = contents
            for (key, write) in saved where state.unsaved[key] == write { state.unsaved[key] = nil }
            for (key, write) in state.unsaved { _ = state.contents.write(write.value, forKey: key, at: write.stamp) }
            let fresh = contents.announcements.filter { $0.number > state.latestAnnouncement }
            let misses =
                fresh.count == contents.announcements.count && fresh.count == KeyValueContents.announcementsKept
            state.latestAnnouncement = max(state.latestAnnouncement, contents.latestAnnouncement)
            let notices = Self.notices(fresh, not: origin, from: former, to: state.contents, misses: misses)
            return (notices, !state.contents.pendingKeys.isEmpty)
        }
        for item in notices { queue.async { [notify] in notify(item) } }
        if isPending { pendingAdded.withLock { $0 }?() }
    }

    /// Makes notifications of announcements: of the keys whose values changed.
    private static func notices(
        _ announcements: [KeyValueContents.Announcement], not origin: String, from former: KeyValueContents,
        to contents: KeyValueContents, misses: Bool
    ) -> [Notice] {
        func isChanged(_ key: String) -> Bool { former.entries[key]?.value != contents.entries[key]?.value }
        var told: Set<String> = []
        var notices: [Notice] = []
        for announcement in announcements {
            guard let reason = KeyValueChangeReason(rawValue: announcement.reason) else { continue }
            told.formUnion(announcement.keys)
            guard announcement.origin != origin else { continue }
            let keys = reason == .quotaViolation ? announcement.keys : announcement.keys.filter(isChanged)
            if !keys.isEmpty { notices.append(Notice(reason: reason, keys: keys)) }
        }
        guard misses else { return notices }
        let rest = Set(former.keys).union(contents.keys).subtracting(told).filter(isChanged)
        if !rest.isEmpty { notices.append(Notice(reason: .server, keys: rest.sorted())) }
        return notices
    }

    /// Writes a line to standard error.
    static func log(_ message: String) {
        // Nothing is to be done where standard error is closed.
        let bytes = Array("NSUbiquitousKeyValueStore: \(message)\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
