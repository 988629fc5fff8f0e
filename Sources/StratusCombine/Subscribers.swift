/// What subscribers have in common, and two of them.
public enum Subscribers {
    /// How a publisher ended.
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }

    /// How many values are wanted.
    public struct Demand: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// nil for all that come.
        public let max: Int?

        private init(max: Int?) { self.max = max }

        /// All that come.
        public static let unlimited = Demand(max: nil)
        /// None beyond those that were asked for.
        public static let none = Demand(max: 0)

        /// So many. Fewer than none is a fault of the program.
        public static func max(_ value: Int) -> Demand {
            precondition(value >= 0, "A demand is not negative.")
            return Demand(max: value)
        }

        /// Both together.
        public static func + (left: Demand, right: Demand) -> Demand {
            guard let some = left.max, let more = right.max else { return .unlimited }
            let (sum, isTooMuch) = some.addingReportingOverflow(more)
            return isTooMuch ? .unlimited : Demand(max: sum)
        }

        /// Adds to it.
        public static func += (left: inout Demand, right: Demand) { left = left + right }

        /// What is left after so many; all that come stay all that come.
        public static func - (left: Demand, right: Demand) -> Demand {
            guard let some = left.max else { return .unlimited }
            return Demand(max: Swift.max(0, some - (right.max ?? some)))
        }

        /// Takes from it.
        public static func -= (left: inout Demand, right: Demand) { left = left - right }

        /// So many more. A negative number is a fault of the program, here and below.
        public static func + (left: Demand, right: Int) -> Demand { left + .max(right) }
        /// Adds so many.
        public static func += (left: inout Demand, right: Int) { left = left + right }
        /// What is left after so many.
        public static func - (left: Demand, right: Int) -> Demand { left - .max(right) }
        /// Takes so many.
        public static func -= (left: inout Demand, right: Int) { left = left - right }
        /// Whether just so many are wanted.
        public static func == (left: Demand, right: Int) -> Bool { left == .max(right) }
        /// Whether more are wanted.
        public static func > (left: Demand, right: Int) -> Bool { left > .max(right) }

        /// Whether fewer are wanted.
        public static func < (left: Demand, right: Demand) -> Bool {
            guard let some = left.max else { return false }
            return right.max.map { some < $0 } ?? true
        }

        /// For logs.
        public var description: String { max.map { "max(\($0))" } ?? "unlimited" }
    }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

extension Subscribers {
    /// Calls closures with all that comes.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private let link = Link()
        /// Takes each value.
        public var receiveValue: (Input) -> Void
        /// Told of the end.
        public var receiveCompletion: (Completion<Failure>) -> Void

        /// A subscriber that is to be handed to a publisher.
        public init(
            receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
        ) {
            self.receiveCompletion = receiveCompletion
            self.receiveValue = receiveValue
        }

        /// Asks for all values.
        public func receive(subscription: any Subscription) {
            if link.begin(subscription) { subscription.request(.unlimited) }
        }

        /// Takes a value.
        public func receive(_ input: Input) -> Demand {
            if link.isOpen { receiveValue(input) }
            return .none
        }

        /// Tells of the end.
        public func receive(completion: Completion<Failure>) {
            if link.end() != nil { receiveCompletion(completion) }
        }

        /// Ends it; nothing comes any more.
        public func cancel() { link.end()?.cancel() }
    }

    /// Writes all that comes to a property of an object.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        /// Nothing ends early.
        public typealias Failure = Never

        private let link = Link()
        /// The object; nil when it is over.
        public private(set) var object: Root?
        /// The property.
        public let keyPath: ReferenceWritableKeyPath<Root, Input>

        /// A subscriber that is to be handed to a publisher.
        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            self.object = object
            self.keyPath = keyPath
        }

        /// Asks for all values.
        public func receive(subscription: any Subscription) {
            if link.begin(subscription) { subscription.request(.unlimited) }
        }

        /// Takes a value.
        public func receive(_ value: Input) -> Demand {
            if link.isOpen { object?[keyPath: keyPath] = value }
            return .none
        }

        /// Lets go of the object.
        public func receive(completion: Completion<Never>) {
            if link.end() != nil { object = nil }
        }

        /// Ends it, and lets go of the object.
        public func cancel() {
            link.end()?.cancel()
            object = nil
        }
    }
}
