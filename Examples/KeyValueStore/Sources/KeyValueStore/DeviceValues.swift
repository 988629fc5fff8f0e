import Foundation

/// What the program shows: a value for each device, a value that all devices share, and why values changed.
final class DeviceValues: Sendable {
    /// Key of the value that every device may edit; the latest edit wins.
    private static let shared = "Shared"

    /// Key of this device's own value.
    private let device: String

    init(device: String) { self.device = device }

    /// Begins to print what changes elsewhere.
    func observe() {
        _ = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: NSUbiquitousKeyValueStore.default, queue: nil
        ) { notification in
            let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int ?? -1
            let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            for key in keys.sorted() {
                let value = NSUbiquitousKeyValueStore.default.string(forKey: key)
                show("← \(Self.name(of: reason)): \(key) is \(value ?? "removed")")
            }
        }
        // Tells of what changed while the program did not run, and of nothing more.
        NSUbiquitousKeyValueStore.default.synchronize()
    }

    /// Does what a line says.
    /// - Returns: whether the program goes on.
    func perform(_ line: String) -> Bool {
        let store = NSUbiquitousKeyValueStore.default
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.count) {
        case ("set", 2): store.set(words[1], forKey: device)
        case ("share", 2): store.set(words[1], forKey: Self.shared)
        case ("remove", 1): store.removeObject(forKey: device)
        case ("list", 1):
            for (key, value) in store.dictionaryRepresentation.sorted(by: { $0.key < $1.key }) {
                show("\(key): \(value)")
            }
        case ("quit", 1): return false
        default: show("set <text> | share <text> | remove | list | quit")
        }
        // What is on the disk is not lost, and is sent when the network is there.
        if !store.synchronize() { show("the values could not be written to the disk") }
        return true
    }

    private static func name(of reason: Int) -> String {
        switch reason {
        case NSUbiquitousKeyValueStoreServerChange: "from another device"
        case NSUbiquitousKeyValueStoreInitialSyncChange: "from the first download"
        case NSUbiquitousKeyValueStoreQuotaViolationChange: "there is no room"
        case NSUbiquitousKeyValueStoreAccountChange: "another account"
        default: "reason \(reason)"
        }
    }
}

/// Prints a line at once.
func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
