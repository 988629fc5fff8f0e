extension Publishers {
    /// What ``Publisher/handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)`` makes.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        /// Tells what it is of.
        public typealias Output = Upstream.Output
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Told when it begins.
        public var receiveSubscription: ((any Subscription) -> Void)?
        /// Told of each value.
        public var receiveOutput: ((Output) -> Void)?
        /// Told of the end.
        public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
        /// Told when the subscriber ends it.
        public var receiveCancel: (() -> Void)?
        /// Told when values are asked for.
        public var receiveRequest: ((Subscribers.Demand) -> Void)?

        /// A publisher of the same, of which closures are told.
        public init(
            upstream: Upstream, receiveSubscription: ((any Subscription) -> Void)? = nil,
            receiveOutput: ((Output) -> Void)? = nil,
            receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil,
            receiveCancel: (() -> Void)? = nil, receiveRequest: ((Subscribers.Demand) -> Void)? = nil
        ) {
            self.upstream = upstream
            self.receiveSubscription = receiveSubscription
            self.receiveOutput = receiveOutput
            self.receiveCompletion = receiveCompletion
            self.receiveCancel = receiveCancel
            self.receiveRequest = receiveRequest
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Witness(subscriber, self))
        }

        private final class Witness<S: Subscriber>: Subscriber where S.Input == Output, S.Failure == Failure {
            private let subscriber: S
            private let events: HandleEvents

            init(_ subscriber: S, _ events: HandleEvents) {
                self.subscriber = subscriber
                self.events = events
            }

            func receive(subscription: any Subscription) {
                events.receiveSubscription?(subscription)
                subscriber.receive(subscription: WitnessedSubscription(subscription, events))
            }

            func receive(_ input: Output) -> Subscribers.Demand {
                events.receiveOutput?(input)
                let more = subscriber.receive(input)
                if more > .none { events.receiveRequest?(more) }
                return more
            }

            func receive(completion: Subscribers.Completion<Failure>) {
                events.receiveCompletion?(completion)
                subscriber.receive(completion: completion)
            }
        }

        private final class WitnessedSubscription: Subscription {
            private let subscription: any Subscription
            private let events: HandleEvents

            init(_ subscription: any Subscription, _ events: HandleEvents) {
                self.subscription = subscription
                self.events = events
            }

            func request(_ demand: Subscribers.Demand) {
                events.receiveRequest?(demand)
                subscription.request(demand)
            }

            func cancel() {
                events.receiveCancel?()
                subscription.cancel()
            }
        }
    }
}

extension Publisher {
    /// The same, with closures that are told what happens.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}
