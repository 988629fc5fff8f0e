import StratusWorkers

/// An object that tells of its changes before they happen. Its published properties do so by themselves.
///
/// Apple has it in Combine; programs that import CloudKit or SwiftUI use it without.
public protocol ObservableObject: AnyObject {
    /// What tells of the changes.
    associatedtype ObjectWillChangePublisher = ObservableObjectPublisher

    /// Tells that something of the object is about to change.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Tells that a published property is about to change; the same for as long as the object has one.
    public var objectWillChange: ObservableObjectPublisher {
        var owner: ObservableObjectPublisher?
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for case let property as any PublishedStorage in level.children.map(\.value) {
                owner = property.join(owner)
            }
            mirror = level.superclassMirror
        }
        return owner ?? ObservableObjectPublisher()
    }
}

/// Tells listeners that an object is about to change.
public final class ObservableObjectPublisher: Sendable {
    private let listeners = Listeners<Void>()
    private let blocks = Lock<[Block]>([])

    /// A listener. `@unchecked Sendable`: called where the object is changed, as in Combine; it is its owner's affair that it
    /// may be.
    private final class Block: @unchecked Sendable {
        let body: () -> Bool
        init(_ body: @escaping () -> Bool) { self.body = body }
    }

    /// A publisher that nobody listens to.
    public init() {}

    /// Tells everybody who listens.
    public func send() {
        listeners.send(())
        for block in blocks.withLock({ $0 }) where !block.body() {
            blocks.withLock { $0.removeAll { $0 === block } }
        }
    }

    /// Calls a closure before each change, until it says false.
    package func listen(_ body: @escaping () -> Bool) {
        let block = Block(body)
        blocks.withLock { $0.append(block) }
    }

    /// An element before each change, from when it is asked for.
    public var values: AsyncStream<Void> { listeners.values() }
}
