import StratusObservation

extension Publisher {
    /// Calls closures with all that comes, until the result is cancelled or gone.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink)
    }
}

extension Publisher where Failure == Never {
    /// Calls a closure with all that comes, until the result is cancelled or gone.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Writes all that comes to a property of an object, which is held until the result is cancelled or gone.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(assign)
        return AnyCancellable(assign)
    }

    /// Writes all that comes to a published property, for as long as there is one.
    public func assign(to published: inout Published<Output>.Publisher) {
        let property = published.weakProperty
        published.keep(sink { property.set($0) })
    }
}
