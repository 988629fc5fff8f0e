import Dispatch
import Foundation

/// Where work is done. Without times, unlike Apple's: no operator here waits.
public protocol Scheduler<SchedulerOptions> {
    /// What may be said beside the work.
    associatedtype SchedulerOptions

    /// Does work soon.
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
}

extension Scheduler {
    /// Does work soon.
    public func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
}

/// Work on its way to the place where it is done, and nowhere else.
///
/// `@unchecked Sendable`: whoever schedules it gives it away.
private struct Work: @unchecked Sendable {
    let action: () -> Void
}

extension DispatchQueue: Scheduler {
    /// What may be said beside the work.
    public struct SchedulerOptions {
        /// How urgent it is.
        public var qos: DispatchQoS
        /// How it is done.
        public var flags: DispatchWorkItemFlags
        /// What waits for it.
        public var group: DispatchGroup?

        /// Says how work is done.
        public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
            (self.qos, self.flags, self.group) = (qos, flags, group)
        }
    }

    /// Does work on the queue.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let (work, options) = (Work(action: action), options ?? SchedulerOptions())
        async(group: options.group, qos: options.qos, flags: options.flags) { work.action() }
    }
}

extension OperationQueue: Scheduler {
    /// There is nothing to say.
    public struct SchedulerOptions {}

    /// Does work in an operation.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = Work(action: action)
        addOperation { work.action() }
    }
}

extension RunLoop: Scheduler {
    /// There is nothing to say.
    public struct SchedulerOptions {}

    /// Does work in the run loop.
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
        let work = Work(action: action)
        perform { work.action() }
    }
}

/// Does work at once.
public struct ImmediateScheduler: Scheduler, Sendable {
    /// There is nothing to say.
    public typealias SchedulerOptions = Never

    /// The one that there is.
    public static let shared = ImmediateScheduler()

    /// Does work.
    public func schedule(options: Never?, _ action: @escaping () -> Void) { action() }
}

extension Publishers {
    /// What ``Publisher/receive(on:options:)`` makes.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// Tells what it is of.
        public typealias Output = Upstream.Output
        /// Ends as what it is of.
        public typealias Failure = Upstream.Failure

        /// What it is of.
        public let upstream: Upstream
        /// Where subscribers are told.
        public let scheduler: Context
        /// What is said beside the work.
        public let options: Context.SchedulerOptions?

        /// A publisher of the same that tells it elsewhere.
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            (self.upstream, self.scheduler, self.options) = (upstream, scheduler, options)
        }

        /// Begins to tell a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Messenger(subscriber) { scheduler.schedule(options: options, $0) })
        }

        /// Takes what comes, and brings it to the subscriber where that wants to be told.
        private final class Messenger<S: Subscriber>: Subscriber, Subscription
        where S.Input == Output, S.Failure == Failure {
            private let link = Link()
            private let subscriber: S
            private let later: (@escaping () -> Void) -> Void
            private let lock = NSLock()
            private var upstream: (any Subscription)?

            init(_ subscriber: S, _ later: @escaping (@escaping () -> Void) -> Void) {
                (self.subscriber, self.later) = (subscriber, later)
            }

            func receive(subscription: any Subscription) {
                guard link.begin(subscription) else { return }
                lock.withLock { upstream = subscription }
                subscriber.receive(subscription: self)
            }

            func receive(_ input: Output) -> Subscribers.Demand {
                later { [self] in
                    guard link.isOpen else { return }
                    let more = subscriber.receive(input)
                    if more > .none { request(more) }
                }
                return .none
            }

            func receive(completion: Subscribers.Completion<Failure>) {
                later { [self] in if link.end() != nil { subscriber.receive(completion: completion) } }
            }

            func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

            func cancel() {
                link.end()?.cancel()
                lock.withLock { upstream = nil }
            }
        }
    }
}

extension Publisher {
    /// The same, told elsewhere: on a queue, or in a run loop.
    public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}
