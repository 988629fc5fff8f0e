import Foundation

/// Tells one value that comes later, or why there is none, and ends. Everybody who listens is told the same.
///
/// What brings the value begins when the future is made; ``Deferred`` lets it begin when somebody listens.
public final class Future<Output, Failure: Error>: Publisher {
    /// Takes the value, or why there is none; a second time does nothing.
    public typealias Promise = (Result<Output, Failure>) -> Void

    private let lock = NSLock()
    private var result: Result<Output, Failure>?
    private var listeners: [Listener] = []

    /// Begins to bring a value.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        attemptToFulfill { self.fulfill($0) }
    }

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let listener = Listener(subscriber)
        subscriber.receive(subscription: listener)
        let known = lock.withLock {
            if result == nil { listeners.append(listener) }
            return result
        }
        if let known { listener.tell(known) }
    }

    private func fulfill(_ result: Result<Output, Failure>) {
        let waiting = lock.withLock { () -> [Listener] in
            guard self.result == nil else { return [] }
            self.result = result
            defer { listeners = [] }
            return listeners
        }
        for listener in waiting { listener.tell(result) }
    }

    /// Hands the result on when it is there and wanted.
    private final class Listener: Subscription {
        private let lock = NSLock()
        private var finish: ((Result<Output, Failure>) -> Void)?
        private var result: Result<Output, Failure>?
        private var isWanted = false

        init<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
            finish = { result in
                switch result {
                case .success(let value):
                    _ = subscriber.receive(value)
                    subscriber.receive(completion: .finished)
                case .failure(let error): subscriber.receive(completion: .failure(error))
                }
            }
        }

        func tell(_ result: Result<Output, Failure>) { finish(noting: { $0.result = result }) }

        func request(_ demand: Subscribers.Demand) {
            if demand > .none { finish(noting: { $0.isWanted = true }) }
        }

        func cancel() { lock.withLock { finish = nil } }

        private func finish(noting change: (Listener) -> Void) {
            let ready = lock.withLock { () -> (() -> Void)? in
                change(self)
                guard let result, let finish else { return nil }
                // Nobody has to ask for an error.
                if case .success = result, !isWanted { return nil }
                self.finish = nil
                return { finish(result) }
            }
            ready?()
        }
    }
}

/// Makes a publisher of its own for everybody who listens.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    /// What the made publishers tell.
    public typealias Output = DeferredPublisher.Output
    /// Why the made publishers end early.
    public typealias Failure = DeferredPublisher.Failure

    /// Makes a publisher.
    public let createPublisher: () -> DeferredPublisher

    /// Makes publishers when they are listened to.
    public init(createPublisher: @escaping () -> DeferredPublisher) { self.createPublisher = createPublisher }

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}
