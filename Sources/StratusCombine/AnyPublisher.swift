/// A publisher without its type.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let upstream: any Publisher<Output, Failure>

    /// Hides the type of a publisher.
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure { upstream = publisher }

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.receive(subscriber: subscriber)
    }
}

/// Tells one value, and ends.
public struct Just<Output>: Publisher {
    /// Never ends early.
    public typealias Failure = Never

    /// The value.
    public let output: Output

    /// Tells a value.
    public init(_ output: Output) { self.output = output }

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        subscriber.receive(subscription: Single(subscriber, output))
    }

    private final class Single<S: Subscriber>: Subscription where S.Input == Output, S.Failure == Never {
        private let value: Output
        private var subscriber: S?

        init(_ subscriber: S, _ value: Output) {
            self.subscriber = subscriber
            self.value = value
        }

        func request(_ demand: Subscribers.Demand) {
            guard demand > .none, let taker = subscriber else { return }
            subscriber = nil
            _ = taker.receive(value)
            taker.receive(completion: .finished)
        }

        func cancel() { subscriber = nil }
    }
}
