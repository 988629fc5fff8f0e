import Foundation

extension NotificationCenter {
    /// Posts a notification on the main queue: at once on it, else soon.
    ///
    /// An observer that asked for `OperationQueue.main` is waited for. In a program whose main function is asynchronous,
    /// code of the main actor does not run as an operation of that queue, so waiting there for the queue would never end.
    func postOnMainQueue(_ name: Notification.Name, object: (any AnyObject & Sendable)?) {
        if OperationQueue.current === OperationQueue.main { return post(name: name, object: object) }
        OperationQueue.main.addOperation { self.post(name: name, object: object) }
    }
}
