import Foundation

/// The queues that contexts can have, with Apple's numbers.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
    /// A queue of the context's own. Contexts of any thread, which the name stands for, no longer exist with Apple.
    @available(*, deprecated, renamed: "privateQueueConcurrencyType")
    case confinementConcurrencyType = 0
    /// A queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// The main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The kinds of queues that contexts can have.
    public enum ConcurrencyType: Sendable {
        /// The main queue.
        case mainQueue
        /// A queue of the context's own.
        case privateQueue
    }

    /// Makes a context with a queue.
    public convenience init(_ type: ConcurrencyType) {
        self.init(
            concurrencyType: type == .mainQueue ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    }
}

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

/// Whether contexts check that they are used on their queues.
enum ConcurrencyDebugging {
    /// Set by the program argument `-com.apple.CoreData.ConcurrencyDebug 1`, or the user default of the same name.
    static let isOn = UserDefaults.standard.integer(forKey: "com.apple.CoreData.ConcurrencyDebug") > 0
}

extension NSManagedObjectContext {
    /// Stops the program if the check is on and the caller is not on the queue of the context.
    func checkQueue() {
        precondition(
            !ConcurrencyDebugging.isOn || queue.isCurrent,
            "CoreData: the context '\(name ?? "")' or one of its objects is used outside of the context's queue")
    }
}
