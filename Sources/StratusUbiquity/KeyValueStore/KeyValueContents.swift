import Foundation
import StratusCloudModel

/// The contents of a store's file: all that a device knows of the store. A value without input and output.
struct KeyValueContents: Codable, Hashable, Sendable {
    /// The value of a key on the server.
    struct ServerSide: Codable, Hashable, Sendable {
        /// nil if the key was removed.
        var value: Data?
        /// The record's system fields.
        var systemFields: Data
        /// The date at which the server saved the record.
        var saved: Date
    }

    /// A change that the server does not have yet.
    struct Pending: Codable, Hashable, Sendable {
        /// nil if the key is removed.
        var value: Data?
        var stamp: ChangeStamp
        /// Distinguishes the change from later ones of the same key.
        var number: UInt64
    }

    /// The values of a key on the server and on this device.
    struct Entry: Codable, Hashable, Sendable {
        var server: ServerSide?
        var pending: Pending?

        /// The value that apps see; nil if the key has none.
        var value: Data? { pending.map(\.value) ?? server?.value }
    }

    /// A change that the processes that share the store post a notification about.
    struct Announcement: Codable, Hashable, Sendable {
        var number: UInt64
        var reason: Int
        var keys: [String]
        /// The process that wrote the values, which posts no notification; nil for values from the server.
        var origin: String?
    }

    /// Announcements that are kept for processes that have not looked yet.
    static let announcementsKept = 64

    /// By key.
    private(set) var entries: [String: Entry] = [:]
    /// The user record name of the account that the values belong to; nil before the first sign-in.
    private(set) var account: String?
    /// The reason with which values of the first download are announced; nil when it has finished.
    private(set) var firstDownload: KeyValueChangeReason? = .initialSync
    private(set) var announcements: [Announcement] = []
    private var counter: UInt64 = 0

    /// The number of the latest announcement.
    var latestAnnouncement: UInt64 { announcements.last?.number ?? 0 }

    /// Keys with a change that waits to be sent.
    var pendingKeys: [String] { entries.filter { $0.value.pending != nil }.keys.sorted() }

    /// Bytes of all values.
    private(set) var size = 0

    /// The number of keys that have a value.
    private(set) var keyCount = 0

    /// Keys that have a value.
    var keys: [String] { entries.filter { $0.value.value != nil }.keys.sorted() }

    /// Returns the limit that a value would exceed beside the others, as text; nil if it has room.
    func obstacle(to value: Data?, forKey key: String) -> String? {
        guard let value else { return nil }
        let former = entries[key]?.value
        if value.count > KeyValueFormat.valueSize {
            return "its \(value.count) bytes are more than the maximum of \(KeyValueFormat.valueSize)"
        }
        let size = size - (former?.count ?? 0) + value.count
        if size > KeyValueFormat.storeSize, value.count > (former?.count ?? 0) {
            return "the store would have \(size) bytes, which is more than the maximum of \(KeyValueFormat.storeSize)"
        }
        if former == nil, keyCount >= KeyValueFormat.keysPerStore {
            return "the store has \(keyCount) keys, which is the maximum"
        }
        return nil
    }

    // MARK: - Changes on the device

    /// Takes a change of this process over, unless another process made a later one. A change from before the
    /// machine's restart is earlier, whatever the machine's date was.
    /// - Returns: whether apps see another value.
    mutating func write(_ value: Data?, forKey key: String, at stamp: ChangeStamp) -> Bool {
        if let other = entries[key]?.pending, other.stamp.isLater(than: stamp) { return false }
        if value == nil, entries[key] == nil { return false }
        counter += 1
        let pending = Pending(value: value, stamp: stamp, number: counter)
        // The server never had the value, so no trace of its removal is needed.
        let isForgotten = value == nil && entries[key]?.server == nil && account == nil
        return change(key) { $0.pending = isForgotten ? nil : pending }
    }

    /// Records a change that all processes but the origin post a notification about.
    mutating func announce(_ reason: KeyValueChangeReason, _ keys: some Sequence<String>, origin: String? = nil) {
        let keys = keys.sorted()
        guard !keys.isEmpty else { return }
        counter += 1
        announcements.append(Announcement(number: counter, reason: reason.rawValue, keys: keys, origin: origin))
        announcements.removeFirst(max(0, announcements.count - Self.announcementsKept))
    }

    // MARK: - Accounts

    /// Takes over a sign-in. Values that were written without an account become those of this one.
    mutating func signIn(_ user: String) {
        guard account != user else { return }
        if account != nil { return switchAccount(to: user) }
        account = user
        firstDownload = .initialSync
    }

    /// Takes over a sign-out, which removes the values.
    mutating func signOut() {
        guard account != nil else { return }
        clear()
        account = nil
        firstDownload = .initialSync
    }

    /// Takes over the sign-in of another account: its values replace the former ones as they are downloaded.
    mutating func switchAccount(to user: String) {
        guard account != user else { return }
        clear()
        account = user
        firstDownload = .accountChange
    }

    private mutating func clear() {
        announce(.accountChange, keys)
        entries = [:]
        (size, keyCount) = (0, 0)
    }

    /// All that the server had is here.
    mutating func finishFirstDownload() { firstDownload = nil }

    // MARK: - Entries

    /// Changes an entry, and drops it if nothing is left of it.
    /// - Returns: whether apps see another value.
    mutating func change(_ key: String, _ body: (inout Entry) -> Void) -> Bool {
        var entry = entries[key] ?? Entry()
        let former = entry.value
        body(&entry)
        entries[key] = entry == Entry() ? nil : entry
        size += (entry.value?.count ?? 0) - (former?.count ?? 0)
        keyCount += (entry.value == nil ? 0 : 1) - (former == nil ? 0 : 1)
        return former != entry.value
    }
}

/// The reasons of changes: the numbers in notifications.
enum KeyValueChangeReason: Int, Codable, Sendable {
    case server = 0
    case initialSync = 1
    case quotaViolation = 2
    case accountChange = 3
}
