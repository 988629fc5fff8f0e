import Foundation
import StratusCoreData

extension NSManagedObjectContext {
    /// Runs a block and waits until the context has merged what it saved.
    func waitForMerge(_ block: () throws -> Void) async rethrows {
        let (merges, continuation) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: Self.didMergeChangesObjectIDsNotification, object: self, queue: nil
        ) { _ in continuation.yield() }
        try block()
        for await _ in merges { break }
        NotificationCenter.default.removeObserver(observer)
    }
}
