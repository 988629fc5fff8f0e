import Foundation

/// A publisher's side of a subscription: hands on as many values as were asked for.
final class Conduit<Output, Failure: Error>: Subscription {
    private let lock = NSLock()
    private var take: ((Output) -> Subscribers.Demand)?
    private var finish: ((Subscribers.Completion<Failure>) -> Void)?
    private var demand = Subscribers.Demand.none
    /// Whether a value that nobody asked for yet is told when somebody does, unless a later one takes its place.
    private let keepsLatest: Bool
    private var latest: Output?

    init<S: Subscriber>(_ subscriber: S, keepsLatest: Bool) where S.Input == Output, S.Failure == Failure {
        self.keepsLatest = keepsLatest
        take = { subscriber.receive($0) }
        finish = { subscriber.receive(completion: $0) }
    }

    var isOpen: Bool { lock.withLock { take != nil } }

    func send(_ value: Output) {
        let taker = lock.withLock { () -> ((Output) -> Subscribers.Demand)? in
            guard demand > .none else {
                if keepsLatest, take != nil { latest = value }
                return nil
            }
            latest = nil
            demand -= .max(1)
            return take
        }
        // Outside of the lock: what takes it may ask, send or cancel.
        if let taker { request(taker(value)) }
    }

    func request(_ more: Subscribers.Demand) {
        let value = lock.withLock { () -> Output? in
            demand += more
            guard demand > .none else { return nil }
            defer { latest = nil }
            return latest
        }
        if let value { send(value) }
    }

    func send(completion: Subscribers.Completion<Failure>) {
        let finish = lock.withLock { close() }
        finish?(completion)
    }

    func cancel() { _ = lock.withLock { close() } }

    private func close() -> ((Subscribers.Completion<Failure>) -> Void)? {
        defer { (take, finish, latest) = (nil, nil, nil) }
        return finish
    }
}
