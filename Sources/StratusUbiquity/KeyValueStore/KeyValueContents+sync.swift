import Foundation
import StratusCloudModel

/// The effect of the server's answers on a store.
extension KeyValueContents {
    /// Removed keys of which a device begins to clear up, the oldest first.
    static let removedKeysToKeep = 768

    /// A record as it was fetched.
    struct Fetched: Sendable {
        var key: String
        var server: ServerSide
    }

    /// Takes over what was fetched.
    ///
    /// A change that waits is not lost by it: the server decides which is later when it is sent. Only in the first
    /// download the server's values win.
    mutating func take(_ fetched: [Fetched], goneKeys: [String]) {
        let isFirst = firstDownload != nil
        var changed: Set<String> = []
        for record in fetched {
            let isChanged = change(record.key) { entry in
                entry.server = record.server
                if isFirst, record.server.value != nil { entry.pending = nil }
            }
            if isChanged { changed.insert(record.key) }
        }
        for key in goneKeys where change(key, { $0.server = nil }) { changed.insert(key) }
        announce(firstDownload ?? .server, changed)
    }

    /// Forgets what the server had for keys that it does not have any more.
    mutating func keep(onlyKeys keys: Set<String>) {
        take([], goneKeys: entries.filter { $0.value.server != nil && !keys.contains($0.key) }.map(\.key))
    }

    /// The result of a save.
    enum Outcome: Sendable {
        case saved(ServerSide)
        /// The server has something else that the device did not know of; its system fields are to be sent.
        case stale(ServerSide)
        /// The server has a later change.
        case older(ServerSide)
        /// The record is not there any more.
        case gone
        /// There is no room for it.
        case quotaExceeded
        /// Everything else: the change stays, and waits for the next start.
        case failed
    }

    /// Takes over what became of saves.
    /// - Parameter sent: Number of the pending change that was sent, and what became of it, by key.
    /// - Returns: keys to be sent again.
    mutating func settle(_ sent: [String: (number: UInt64, outcome: Outcome)]) -> [String] {
        var again: [String] = []
        var adopted: Set<String> = []
        var rejected: Set<String> = []
        for (key, result) in sent {
            guard let pending = entries[key]?.pending else { continue }
            // Something later waits already; it is judged by itself.
            let isLatest = pending.number == result.number
            switch result.outcome {
            case .saved(let server):
                _ = change(key) { entry in
                    entry.server = server
                    if isLatest { entry.pending = nil }
                }
                if !isLatest { again.append(key) }
            case .stale(let server):
                _ = change(key) { $0.server = server }
                again.append(key)
            case .older(let server):
                let isChanged = change(key) { entry in
                    entry.server = server
                    if isLatest { entry.pending = nil }
                }
                if isChanged { adopted.insert(key) }
                if !isLatest { again.append(key) }
            case .gone:
                _ = change(key) { $0.server = nil }
                again.append(key)
            case .quotaExceeded:
                if !isLatest || pending.value == nil {
                    again.append(key)
                } else {
                    _ = change(key) { $0.pending = nil }
                    rejected.insert(key)
                }
            case .failed: break
            }
        }
        announce(.server, adopted)
        announce(.quotaViolation, rejected)
        return again
    }

    /// Removed keys whose records are to be deleted, so that the store does not fill with them.
    var removedKeysToForget: [String] {
        let removed = entries.filter { $0.value.pending == nil && $0.value.server != nil && $0.value.value == nil }
        let surplus = removed.count - Self.removedKeysToKeep
        guard surplus > 0 else { return [] }
        let oldest = removed.sorted {
            ($0.value.server?.saved ?? .distantPast) < ($1.value.server?.saved ?? .distantPast)
        }
        return oldest.prefix(surplus).map(\.key)
    }

    /// The record of a removed key is deleted.
    mutating func forget(_ keys: [String]) {
        for key in keys { _ = change(key) { $0.server = nil } }
    }
}
