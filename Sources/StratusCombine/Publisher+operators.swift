/// The publishers that operators make.
public enum Publishers {
    /// What ``Publisher/map(_:)`` makes.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Makes each value.
        public let transform: (Upstream.Output) -> Output

        /// A publisher of other values.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Relay(subscriber) { transform($0) })
        }
    }

    /// What ``Publisher/compactMap(_:)`` makes.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Makes each value; nil leaves it out.
        public let transform: (Upstream.Output) -> Output?

        /// A publisher of other values.
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Relay(subscriber, transform))
        }
    }

    /// What ``Publisher/filter(_:)`` makes.
    public struct Filter<Upstream: Publisher>: Publisher {
        /// Tells some of what it is of.
        public typealias Output = Upstream.Output
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Whether a value is told.
        public let isIncluded: (Output) -> Bool

        /// A publisher of some values.
        public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Relay(subscriber) { isIncluded($0) ? $0 : nil })
        }
    }

    /// What ``Publisher/removeDuplicates(by:)`` makes.
    public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
        /// Tells some of what it is of.
        public typealias Output = Upstream.Output
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Whether two values are the same.
        public let predicate: (Output, Output) -> Bool

        /// A publisher of values that differ from the one before.
        public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var former: Output?
            upstream.subscribe(
                Relay(subscriber) { value in
                    if let former, predicate(former, value) { return nil }
                    former = value
                    return value
                })
        }
    }

    /// What ``Publisher/dropFirst(_:)`` makes.
    public struct Drop<Upstream: Publisher>: Publisher {
        /// Tells some of what it is of.
        public typealias Output = Upstream.Output
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// How many are left out.
        public let count: Int

        /// A publisher of all but the first values.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "No fewer than none can be left out.")
            self.upstream = upstream
            self.count = count
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var left = count
            upstream.subscribe(
                Relay(subscriber) { value in
                    guard left > 0 else { return value }
                    left -= 1
                    return nil
                })
        }
    }
}

extension Publisher {
    /// Other values in the place of these.
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }

    /// Other values in the place of these, without those for which there is none.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }

    /// Only some of these values.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }

    /// Without values that are the same as the one before.
    public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self>
    {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Without the first values.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> { Publishers.Drop(upstream: self, count: count) }

    /// The same without its type.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

extension Publisher where Output: Equatable {
    /// Without values that equal the one before.
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}

/// Stands between a publisher and a subscriber of other values. nil in the place of a value leaves it out, and asks for
/// another one.
private final class Relay<Input, Downstream: Subscriber>: Subscriber {
    typealias Failure = Downstream.Failure

    private let downstream: Downstream
    private let transform: (Input) -> Downstream.Input?

    init(_ downstream: Downstream, _ transform: @escaping (Input) -> Downstream.Input?) {
        self.downstream = downstream
        self.transform = transform
    }

    func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

    func receive(_ input: Input) -> Subscribers.Demand {
        transform(input).map { downstream.receive($0) } ?? .max(1)
    }

    func receive(completion: Subscribers.Completion<Failure>) { downstream.receive(completion: completion) }
}
