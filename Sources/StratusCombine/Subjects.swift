import Foundation

/// A publisher that tells what it is given.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Tells everybody.
    func send(_ value: Output)
    /// Ends it.
    func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
    /// Tells everybody that something is so.
    public func send() { send(()) }
}

/// Tells whoever listens now.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    private let branches = Branches<Output, Failure>()

    /// Nobody listens yet.
    public init() {}

    /// Tells everybody who asked for more; the others miss it.
    public func send(_ value: Output) { for branch in branches.open { branch.send(value) } }

    /// Ends it; nothing is told any more.
    public func send(completion: Subscribers.Completion<Failure>) { branches.end(completion) }

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        branches.add(Conduit(subscriber, keepsLatest: false), subscriber) {}
    }
}

/// Keeps a value, and tells of it and of each that takes its place.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let branches = Branches<Output, Failure>()
    private let lock = NSLock()
    private var current: Output

    /// Keeps a value.
    public init(_ value: Output) { current = value }

    /// The value; setting it tells everybody.
    public var value: Output {
        get { lock.withLock { current } }
        set { send(newValue) }
    }

    /// Keeps a value, and tells everybody.
    public func send(_ value: Output) {
        guard !branches.isOver else { return }
        lock.withLock { current = value }
        for branch in branches.open { branch.send(value) }
    }

    /// Ends it; the value stays.
    public func send(completion: Subscribers.Completion<Failure>) { branches.end(completion) }

    /// Begins to tell a subscriber: first of the value that there is.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let branch = Conduit<Output, Failure>(subscriber, keepsLatest: true)
        branches.add(branch, subscriber) { branch.send(value) }
    }
}

/// Who listens to a subject, and whether it is over.
private final class Branches<Output, Failure: Error> {
    private let lock = NSLock()
    private var all: [Conduit<Output, Failure>] = []
    private var end: Subscribers.Completion<Failure>?

    var isOver: Bool { lock.withLock { end != nil } }

    var open: [Conduit<Output, Failure>] {
        lock.withLock {
            all.removeAll { !$0.isOpen }
            return all
        }
    }

    /// - Parameter begin: called before the subscriber hears of its subscription, unless the subject is over.
    func add<S: Subscriber>(_ branch: Conduit<Output, Failure>, _ subscriber: S, _ begin: () -> Void)
    where S.Input == Output, S.Failure == Failure {
        let end = lock.withLock { () -> Subscribers.Completion<Failure>? in
            if self.end == nil { all.append(branch) }
            return self.end
        }
        if end == nil { begin() }
        subscriber.receive(subscription: branch)
        if let end { branch.send(completion: end) }
    }

    func end(_ completion: Subscribers.Completion<Failure>) {
        let ending = lock.withLock { () -> [Conduit<Output, Failure>] in
            guard end == nil else { return [] }
            end = completion
            defer { all = [] }
            return all
        }
        for branch in ending { branch.send(completion: completion) }
    }
}
