import StratusObservation

extension Published.Publisher: Publisher {
    /// What the property holds.
    public typealias Output = Value
    /// A property does not end early.
    public typealias Failure = Never

    /// Begins to tell a subscriber: first of the value that there is, then of each before the property has it.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        let branch = Conduit<Value, Never>(subscriber, keepsLatest: true)
        branch.send(current)
        listen { value in
            branch.send(value)
            return branch.isOpen
        }
        subscriber.receive(subscription: branch)
    }
}

extension ObservableObjectPublisher: Publisher {
    /// Only that something is about to change.
    public typealias Output = Void
    /// An object does not end early.
    public typealias Failure = Never

    /// Begins to tell a subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        let branch = Conduit<Void, Never>(subscriber, keepsLatest: false)
        listen {
            branch.send(())
            return branch.isOpen
        }
        subscriber.receive(subscription: branch)
    }
}
