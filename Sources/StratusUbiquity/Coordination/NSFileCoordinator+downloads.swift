import Foundation
import StratusWorkers

extension CoordinatedAccess {
    /// The item that has to be downloaded before it can be read: the one itself, or the package that it lies in; nil if
    /// it is on this machine.
    var absentItem: String? {
        guard !isWriting, !reading.contains(.immediatelyAvailableMetadataOnly) else { return nil }
        return [unit, item].first { path in
            let files = FileManager.default
            return !files.fileExists(atPath: path) && files.fileExists(atPath: UbiquityState.placeholder(of: path))
                && UbiquityContainer.containing(path)?.has(path) == true
        }
    }
}

extension NSFileCoordinator {
    /// Waits until items that are to be read are on this machine. Blocks. No claim may be held, as the agent needs its
    /// own one to put an item in its place.
    /// - Throws: `CocoaError.userCancelled` if the waiter is cancelled, and what kept the agent from downloading.
    static func download(_ items: [String], _ waiter: CoordinationWaiter) throws {
        for path in items {
            let item = try UbiquitousItem(URL(fileURLWithPath: path))
            let call = DriveCall()
            let answer = Lock<Result<DriveAnswer, DriveError>?>(nil)
            Thread.detachNewThread {
                let result = DriveHost.shared.answer(
                    to: .download(path: item.path), of: item.container, call)
                answer.withLock { $0 = result }
                waiter.signal()
            }
            while true {
                if waiter.isCancelled {
                    call.cancel()
                    throw CocoaError(.userCancelled) as NSError
                }
                if let result = answer.withLock({ $0 }) {
                    do { _ = try result.get() } catch { throw error.cocoaError(at: item.url) }
                    break
                }
                waiter.wait()
            }
        }
    }
}
