/// A part of a model, which cannot be changed once a coordinator uses the model.
protocol Freezable: AnyObject {
    var isFrozen: Bool { get }
}

extension Freezable {
    /// Stops the program if the model is in use. Apple raises an exception, because what a store was opened with would
    /// no longer be true.
    func assertMutable() {
        precondition(!isFrozen, "a model that a coordinator uses cannot be changed; change a copy of it")
    }
}
