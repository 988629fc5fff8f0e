import Foundation

/// The queue of a context, which knows whether the caller is on it.
///
/// Never a thread of Swift's concurrency, because programs block in what they perform.
final class ContextQueue: Sendable {
    private static let currentKey = DispatchSpecificKey<ObjectIdentifier>()
    private let queue: DispatchQueue
    private let isMain: Bool

    init(_ type: NSManagedObjectContextConcurrencyType) {
        isMain = type == .mainQueueConcurrencyType
        queue = isMain ? .main : DispatchQueue(label: "NSManagedObjectContext")
        queue.setSpecific(key: Self.currentKey, value: ObjectIdentifier(queue))
    }

    /// Whether the caller is on the queue. The main thread is on the main queue, even before the queue runs anything.
    var isCurrent: Bool {
        if isMain, Thread.isMainThread { return true }
        return DispatchQueue.getSpecific(key: Self.currentKey) == ObjectIdentifier(queue)
    }

    func async(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }

    func sync<Result>(_ block: () throws -> Result) rethrows -> Result {
        if isCurrent { return try block() }
        return try queue.sync(execute: block)
    }
}
