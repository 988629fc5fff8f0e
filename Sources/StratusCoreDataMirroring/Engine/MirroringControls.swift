import StratusCloudKit
import Synchronization

/// The control of mirroring by a simulation: stores are synchronized only when it says so, and it hears of each moment at
/// which a process may end.
package final class MirroringControls: Sendable {
    private let checkpoint = Mutex<(@Sendable (String) async -> Void)?>(nil)

    /// Makes controls without a checkpoint.
    package init() {}

    /// Sets the function that is called before and after everything that the sync engine asks or reports.
    package func setCheckpoint(_ body: (@Sendable (String) async -> Void)?) { checkpoint.withLock { $0 = body } }

    func reach(_ name: String) async { await checkpoint.withLock { $0 }?(name) }
}

extension NSPersistentCloudKitContainer {
    /// Waits until the mirrors of all stores have begun.
    package func waitUntilMirrored() async {
        for mirror in openMirrors { _ = await mirror.startedEngine() }
    }

    /// Exports and imports what there is, in all stores. Failures are in the events.
    package func synchronizeMirrors() async {
        for mirror in openMirrors { await mirror.synchronize() }
    }

    /// Ends the mirroring at once, as the end of the process does. Nothing is written or reported any more.
    package func abandonMirroring() {
        for mirror in openMirrors { mirror.close() }
    }
}

extension StoreMirror {
    fileprivate func synchronize() async {
        guard let engine = await startedEngine() else { return }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                defer { continuation.resume() }
                guard !self.isClosed else { return }
                do {
                    try self.noteLocalChanges()
                    self.armExport()
                } catch {
                    self.events.report(.export, error)
                }
            }
        }
        await engine.synchronize()
    }
}
