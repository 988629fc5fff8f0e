import Foundation
import StratusCloudKit

/// The life of an agent.
extension DriveAgent {
    /// Begins to synchronize whenever something changes.
    package func start() async throws(DriveError) {
        do { try begin() } catch { throw DriveError(error) }
    }

    /// Begins to synchronize only when it is asked to.
    /// - Parameter watches: Whether only directories in which something happened are scanned. The system allows a user a
    ///   limited number of watching agents.
    package func startManually(watches: Bool = false) throws {
        try prepareDirectory()
        if watches { watch = DirectoryWatch(seesWrites: true, queue: nil) }
        try startCloud(automatically: false) {}
    }

    private func begin() throws {
        try prepareDirectory()
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let queue = DispatchQueue(label: "org.stratus.drive.watch")
        watch = DirectoryWatch(seesWrites: true, queue: queue) { wake.yield() }
        conflictWatch = DirectoryWatch(queue: queue) { wake.yield() }
        try startCloud(automatically: true) { wake.yield() }
        wake.yield()
        isRunning = true
        endWakes = { wake.finish() }
        Task { [weak self] in
            var pause = Self.firstRetry
            for await _ in wakes {
                guard let self, await self.isRunning else { return }
                await self.synchronizeQuietly()
                guard await !self.failures.isEmpty else {
                    pause = Self.firstRetry
                    await self.wake(wake, after: self.scanInterval)
                    continue
                }
                await self.wake(wake, after: pause)
                pause = min(pause * 2, Self.lastRetry)
            }
        }
    }

    private func startCloud(automatically: Bool, wake: @escaping @Sendable () -> Void) throws {
        cloud.start(
            try state.setting("engine"), isListing: try isListing, user: try user, automatically: automatically,
            take: { [weak self] in await self?.takePage() }, wake: wake)
    }

    /// Wakes the agent after some time, instead of after the time that was asked for before.
    private func wake(_ wake: AsyncStream<Void>.Continuation, after pause: Duration) {
        retry?.cancel()
        retry = Task {
            do { try await Task.sleep(for: pause) } catch { return }
            wake.yield()
        }
    }

    private var isListing: Bool { get throws { try state.setting("listing")?.isEmpty == false } }

    /// The person whose files these are, if anybody was signed in yet.
    private var user: String? { get throws { try state.setting("user").map { String(decoding: $0, as: UTF8.self) } } }

    private func prepareDirectory() throws {
        let state = try state
        try folder.prepare { stamp in try state.localItems(inode: stamp.inode).contains { $0.local.stamp == stamp } }
        removeUnwantedPartials()
        if let known = try state.setting("directory"), known == folder.identity { return }
        // Another directory than the one that was synchronized: what is not in it was not deleted by anybody.
        try state.transaction {
            try state.forEach { entry in
                try state.change(entry.id) { ($0.local, $0.synced, $0.conflictsAt) = (nil, nil, nil) }
            }
            try state.set("directory", to: try folder.makeIdentity())
        }
    }

    /// Ends the synchronization. The next agent, which may be another process, goes on with it: nothing is changed after
    /// this returns.
    package func stop() async {
        (isRunning, isStopped) = (false, true)
        retry?.cancel()
        endWakes()
        for watch in [watch, conflictWatch] { watch?.stop() }
        (watch, conflictWatch) = (nil, nil)
        for cancel in cancelTurns.values { cancel() }
        await cloud.stop()
        await turn?.value
    }

    private func synchronizeQuietly() async {
        do { try await synchronizeFully() } catch {
            failures[""] = error
        }
    }
}
