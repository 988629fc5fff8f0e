import Foundation
import StratusCloudModel

/// What a device knows of a key-value store: the file's contents. Pure.
struct KeyValueContents: Codable, Hashable, Sendable {
    /// What the server has for a key.
    struct ServerSide: Codable, Hashable, Sendable {
        /// nil if the key was removed.
        var value: Data?
        /// The record's system fields.
        var systemFields: Data
        /// When the record was saved.
        var saved: Date
    }

    /// A change that the server does not have yet.
    struct Pending: Codable, Hashable, Sendable {
        /// nil if the key is removed.
        var value: Data?
        var stamp: ChangeStamp
        /// Tells it from later changes of the same key.
        var number: UInt64
    }

    /// What is known of a key.
    struct Entry: Codable, Hashable, Sendable {
        var server: ServerSide?
        var pending: Pending?

        /// What apps see; nil if the key is not there.
        var value: Data? { pending.map(\.value) ?? server?.value }
    }

    /// What the processes that share the store are to be told.
    struct Announcement: Codable, Hashable, Sendable {
        var number: UInt64
        var reason: Int
        var keys: [String]
        /// Who wrote the values itself, and is not told; nil for what came from the server.
        var origin: String?
    }

    /// Announcements that are kept for processes that have not looked yet.
    static let announcementsKept = 64

    /// By key.
    private(set) var entries: [String: Entry] = [:]
    /// The user record name of whom the values belong to; nil before the first sign-in.
    private(set) var account: String?
    /// What the values of the first download are announced as; nil when it has finished.
    private(set) var firstDownload: KeyValueChangeReason? = .initialSync
    private(set) var announcements: [Announcement] = []
    private var counter: UInt64 = 0

    /// The number of the latest announcement.
    var latestAnnouncement: UInt64 { announcements.last?.number ?? 0 }

    /// Keys with a change that waits to be sent.
    var pendingKeys: [String] { entries.filter { $0.value.pending != nil }.keys.sorted() }

    /// Bytes of all values.
    private(set) var size = 0

    /// How many keys have a value.
    private(set) var keyCount = 0

    /// Keys that have a value.
    var keys: [String] { entries.filter { $0.value.value != nil }.keys.sorted() }

    /// Why a value has no room beside the others; nil if it has.
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

    /// Takes a change of this process over, unless another process made a later one.
    /// - Returns: whether apps see another value.
    mutating func write(_ value: Data?, forKey key: String, at stamp: ChangeStamp) -> Bool {
        if let other = entries[key]?.pending, other.stamp.isLater(than: stamp) { return false }
        if value == nil, entries[key] == nil { return false }
        counter += 1
        let pending = Pending(value: value, stamp: stamp, number: counter)
        // A value that nobody else ever knew of leaves nothing behind.
        let isForgotten = value == nil && entries[key]?.server == nil && account == nil
        return change(key) { $0.pending = isForgotten ? nil : pending }
    }

    /// Notes what all processes but the origin are to be told.
    mutating func announce(_ reason: KeyValueChangeReason, _ keys: some Sequence<String>, origin: String? = nil) {
        let keys = keys.sorted()
        guard !keys.isEmpty else { return }
        counter += 1
        announcements.append(Announcement(number: counter, reason: reason.rawValue, keys: keys, origin: origin))
        announcements.removeFirst(max(0, announcements.count - Self.announcementsKept))
    }

    // MARK: - Accounts

    /// Somebody signed in. What was written while nobody was is theirs.
    mutating func signIn(_ user: String) {
        guard account != user else { return }
        if account != nil { return switchAccount(to: user) }
        account = user
        firstDownload = .initialSync
    }

    /// Somebody signed out: the values were theirs.
    mutating func signOut() {
        guard account != nil else { return }
        clear()
        account = nil
        firstDownload = .initialSync
    }

    /// Somebody else is signed in: their values take the place of the former ones, as far as they are downloaded.
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

/// Why values changed: the numbers of the notification.
enum KeyValueChangeReason: Int, Codable, Sendable {
    case server = 0
    case initialSync = 1
    case quotaViolation = 2
    case accountChange = 3
}
