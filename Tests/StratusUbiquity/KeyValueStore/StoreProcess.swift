import Foundation
import StratusCloudKit
import StratusTesting
import StratusUbiquity
import StratusWaiting
import StratusWorkers

@testable import StratusUbiquity

/// What a process has: a store, and a log of what it was told.
final class StoreProcess: Sendable {
    struct Notice: Equatable, Sendable {
        var reason: Int
        var keys: [String]
    }

    let store: NSUbiquitousKeyValueStore
    private let log: Lock<[Notice]>
    private let observer: Observer

    /// `@unchecked Sendable`: the token is only given back.
    private struct Observer: @unchecked Sendable {
        let token: any NSObjectProtocol
    }

    init(
        _ container: CKContainer, _ directory: String, identifier: String? = nil, clock: ChangeClock = .system
    ) {
        let log = Lock<[Notice]>([])
        let store = NSUbiquitousKeyValueStore(
            container: container, identifier: identifier, directory: directory, clock: clock)
        let token = NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: nil
        ) { notification in
            let reason = notification.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
            let keys = notification.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String]
            log.withLock { $0.append(Notice(reason: reason?.intValue ?? -1, keys: keys ?? [])) }
        }
        (self.store, self.log) = (store, log)
        observer = Observer(token: token)
    }

    deinit { NotificationCenter.default.removeObserver(observer.token) }

    var notices: [Notice] { log.withLock { $0 } }

    /// Keys that were told with a reason, in all notifications together.
    func keys(_ reason: Int) -> Set<String> { Set(notices.filter { $0.reason == reason }.flatMap(\.keys)) }

    /// Waits until keys were told with a reason.
    func wait(for keys: Set<String>, _ reason: Int) async throws {
        try await StratusWaiting.wait(for: "\(keys) with reason \(reason); told: \(notices)") {
            self.keys(reason).isSuperset(of: keys)
        }
    }

    /// Waits until a change that came from the cloud was not taken by the disk.
    func waitForEngineToEnd() async throws {
        try await StratusWaiting.wait(for: "the engine to end") {
            store.sync?.state.withLock { $0.isWaiting } == true
        }
    }

    /// Waits until the first download has finished and everything is sent.
    func settle() async throws {
        _ = store.synchronize()
        try await StratusWaiting.wait(for: "everything to be sent") {
            let contents = store.contents
            return contents.firstDownload == nil && contents.pendingKeys.isEmpty
        }
    }
}

/// Directories of a test, removed with it.
final class StoreDirectories: Sendable {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("stratus-kv-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: root) }

    func callAsFunction(_ name: String) -> String { root.appendingPathComponent(name).path }
}

/// A disk on which the values of a store cannot be written, but everything else can.
struct FullDisk {
    /// Files are written under this name first, which a directory has.
    private let obstacle: String

    init(_ directory: String) {
        obstacle = "\(directory)/values.\(getpid())"
        mkdir(obstacle, 0o700)
    }

    func empty() { rmdir(obstacle) }
}

/// A clock of a device whose date is wrong, and which runs with the cloud's.
func wrongClock(_ cloud: LocalCloud, years: Int64, start: String) -> ChangeClock {
    let date = Int64(Date().timeIntervalSince1970 * 1_000) + years * 31_557_600_000
    return ChangeClock { [clock = cloud.clock] in
        let elapsed = clock.now.elapsed.components
        let milliseconds = elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
        return ChangeStamp(date: date + milliseconds, uptime: 1_000_000 + milliseconds, start: start)
    }
}
