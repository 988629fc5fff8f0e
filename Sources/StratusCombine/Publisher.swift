/// Tells subscribers of values over time.
public protocol Publisher<Output, Failure> {
    /// What it tells.
    associatedtype Output
    /// Why it ends early; `Never` where it does not.
    associatedtype Failure: Error

    /// Begins to tell a subscriber. Programs call `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Begins to tell a subscriber.
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Sends all that it tells on to a subject, until the result is cancelled or gone.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable
    where S.Output == Output, S.Failure == Failure {
        sink {
            subject.send(completion: $0)
        } receiveValue: {
            subject.send($0)
        }
    }
}

/// Takes what a publisher tells, as much as it asked for.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// What it takes.
    associatedtype Input
    /// Why its publisher may end early.
    associatedtype Failure: Error

    /// Comes first; nothing else comes before values are asked for.
    func receive(subscription: any Subscription)
    /// Takes a value.
    /// - Returns: how many more it wants, beside those it asked for already.
    func receive(_ input: Input) -> Subscribers.Demand
    /// Comes last.
    func receive(completion: Subscribers.Completion<Failure>)
}

/// What connects a subscriber with its publisher.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Asks for more values.
    func request(_ demand: Subscribers.Demand)
}

/// Something that can be ended.
public protocol Cancellable {
    /// Ends it; again does nothing.
    func cancel()
}

/// Tells subscribers apart.
public protocol CustomCombineIdentifierConvertible {
    /// Names it.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    /// Names the object.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

/// Names a subscriber or subscription.
public struct CombineIdentifier: Hashable, CustomStringConvertible {
    private let object: ObjectIdentifier
    /// Keeps a name that was made up from being given again.
    private let token: Token?

    private final class Token {}

    /// A name that nothing else has.
    public init() {
        let token = Token()
        self.token = token
        object = ObjectIdentifier(token)
    }

    /// The name of an object.
    public init(_ object: AnyObject) {
        token = nil
        self.object = ObjectIdentifier(object)
    }

    /// Whether both name the same.
    public static func == (left: CombineIdentifier, right: CombineIdentifier) -> Bool { left.object == right.object }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(object) }

    /// For logs.
    public var description: String { "\(object)" }
}
