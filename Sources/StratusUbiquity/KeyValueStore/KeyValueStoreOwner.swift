import Foundation
import StratusWorkers

extension NSUbiquitousKeyValueStore {
    /// A weak reference to the store that notifications are posted for.
    struct Weak: Sendable {
        weak var value: NSUbiquitousKeyValueStore?
    }

    /// Posts the notifications of a store's copy.
    final class Owner: Sendable {
        let store = Lock(Weak())

        func post(_ notice: KeyValueReplica.Notice) {
            guard let store = store.withLock({ $0.value }) else { return }
            NotificationCenter.default.post(
                name: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store,
                userInfo: [
                    NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(value: notice.reason.rawValue),
                    NSUbiquitousKeyValueStoreChangedKeysKey: notice.keys,
                ])
        }
    }
}
