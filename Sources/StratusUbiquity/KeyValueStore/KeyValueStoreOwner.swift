import Foundation
import StratusWorkers

extension NSUbiquitousKeyValueStore {
    /// A store that notifications are posted for, as long as it is there.
    struct Weak: Sendable {
        weak var value: NSUbiquitousKeyValueStore?
    }

    /// Posts what the copy of a store tells.
    final class Owner: Sendable {
        let store = Lock(Weak())

        func post(_ news: KeyValueReplica.News) {
            guard let store = store.withLock({ $0.value }) else { return }
            NotificationCenter.default.post(
                name: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store,
                userInfo: [
                    NSUbiquitousKeyValueStoreChangeReasonKey: NSNumber(value: news.reason.rawValue),
                    NSUbiquitousKeyValueStoreChangedKeysKey: news.keys,
                ])
        }
    }
}
