import Foundation
import Glibc
import StratusCloudKit
import StratusDeviceCredentials
import StratusUbiquity
import StratusWorkers

/// A person's files in a container, mounted on a directory.
package final class DriveMount: Sendable {
    /// Limits of the mount. The documentation quotes this file.
    package enum Limits {
        /// Bytes of contents that are kept on this machine, unless the person says otherwise.
        package static let cacheSize: Int64 = 1 << 30
        /// The smallest cache.
        package static let smallestCache: Int64 = 1 << 20
        /// Threads that wait for disks.
        static let threads = 4
        /// Seconds until the server is asked again, while it brings no notifications.
        static let pollInterval = 30
        /// Seconds until it is asked again although it does.
        static let longPollInterval = 300
        /// The longest pause between two attempts to reach the server, in seconds.
        static let longestPause = 30
    }

    private let directory: String
    private let fileSystem: MountFileSystem
    private let alarm: Alarm
    private let lock: FileLock
    private let isListening = Lock(false)

    /// Prepares a mount: fetches the list of files, if this machine has none yet.
    /// - Parameters:
    ///   - directory: An empty directory.
    ///   - container: The identifier of a container; nil for the first of the person's sign-in.
    ///   - cacheSize: Bytes of contents that are kept on this machine.
    package init(directory: String, container: String?, cacheSize: Int64) async throws {
        self.directory = try MountPoint.check(directory)
        guard let account = UbiquityAccount.current() else {
            throw MountError("nobody is signed in; sign in with 'stratus login'")
        }
        guard let identifier = container ?? account.containers.first else {
            throw MountError("no container is known; give --container")
        }
        let place = try MountDirectories(of: account.key, identifier, ProcessInfo.processInfo.environment)
        try FileManager.default.createDirectory(
            atPath: place.data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let lock = try FileLock.trying(place.data + "/lock") else {
            throw MountError("the files of '\(identifier)' are mounted already, by another process")
        }
        self.lock = lock
        let alarm = Alarm()
        self.alarm = alarm
        let store = try MountStore(place.data + "/items.sqlite")
        let items = try store.items()
        let cache = try ContentCache(
            directory: place.cache + "/contents", unsentDirectory: place.data + "/unsent", limit: cacheSize,
            unsent: Set(items.compactMap(\.unsent)))
        fileSystem = MountFileSystem(
            database: CKContainer(identifier: identifier).privateCloudDatabase, store: store, cache: cache,
            items: items, pool: WorkerPool(threads: Limits.threads), kernel: KernelCache(), wake: { alarm.ring() })
        guard store.token == nil else { return }
        do {
            try await fileSystem.fetch()
            await fileSystem.fetchRoom()
        } catch {
            throw MountError("the list of files cannot be fetched: \(error.localizedDescription)")
        }
    }

    /// Mounts the directory, and unmounts it when `stop` returns. Returns also when another program unmounts it.
    package func run(ready: @Sendable (String) -> Void, until stop: @escaping @Sendable () async -> Void) async throws {
        let session = try FUSESession(fileSystem, on: directory)
        let following = Task(executorPreference: fileSystem.pool) { await self.follow() }
        ready(directory)
        // Continues after the first of the two. A directory that programs still use answers them until the process ends.
        await withCheckedContinuation { continuation in
            let ended = Lock<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                let continuation = ended.withLock { continuation in
                    defer { continuation = nil }
                    return continuation
                }
                continuation?.resume()
            }
            Task(executorPreference: fileSystem.pool) {
                await session.run()
                end()
            }
            Task(executorPreference: fileSystem.pool) {
                await stop()
                await self.fileSystem.publishAll()
                session.unmount()
                end()
            }
        }
        following.cancel()
        alarm.ring()
        await fileSystem.publishAll()
        withExtendedLifetime((lock, session)) {}
    }

    // MARK: - Following the server

    private func follow() async {
        var wish: PushWish?
        var failures = 0
        while !Task.isCancelled {
            if wish == nil { wish = await listen() }
            do {
                try await fileSystem.fetch()
                let isLeft = await fileSystem.sendPending()
                await fileSystem.fetchRoom()
                failures = isLeft ? failures + 1 : 0
            } catch {
                failures += 1
            }
            await alarm.wait(atMost: pause(failures))
        }
    }

    private func listen() async -> PushWish? {
        // Without notifications the server is asked from time to time.
        try? await fileSystem.database.listen { [weak self] report in
            switch report {
            case .listening, .notification: self?.note(isListening: true)
            case .interrupted, .unavailable: self?.note(isListening: false)
            }
        }
    }

    private func note(isListening: Bool) {
        self.isListening.withLock { $0 = isListening }
        alarm.ring()
    }

    private func pause(_ failures: Int) -> Duration {
        guard failures == 0 else { return .seconds(min(1 << min(failures - 1, 10), Limits.longestPause)) }
        return .seconds(isListening.withLock { $0 } ? Limits.longPollInterval : Limits.pollInterval)
    }
}
