/// A property of an ``ObservableObject`` that tells of its changes: the object's publisher before each, and its own with
/// the new value.
@propertyWrapper public struct Published<Value> {
    fileprivate final class Storage {
        var value: Value
        var owner: ObservableObjectPublisher?
        /// Take each new value; false from one that listens no longer.
        private var listeners: [Int: (Value) -> Bool] = [:]
        private var listenerCount = 0
        /// What goes with the property.
        var kept: [Any] = []

        init(_ value: Value) { self.value = value }

        func set(_ newValue: Value) {
            owner?.send()
            // A listener may set the property, or bring another listener.
            for (number, listener) in listeners.sorted(by: { $0.key < $1.key }) where !listener(newValue) {
                listeners[number] = nil
            }
            value = newValue
        }

        func listen(_ listener: @escaping (Value) -> Bool) {
            listenerCount += 1
            listeners[listenerCount] = listener
        }
    }

    private let storage: Storage

    /// Publishes a value.
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    /// Publishes a value.
    public init(initialValue: Value) { storage = Storage(initialValue) }

    /// Only properties of classes and actors can be published.
    @available(*, unavailable, message: "@Published is only available on properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        set { storage.set(newValue) }
    }

    /// Tells of the values. Setting it is what `assign(to:)` needs, and changes nothing.
    public var projectedValue: Publisher {
        get { Publisher(storage) }
        set {}
    }

    /// The value of a property of an object.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Published<Value>>
    ) -> Value {
        get { owner[keyPath: storageKeyPath].storage.value }
        set { owner[keyPath: storageKeyPath].storage.set(newValue) }
    }

    /// Tells of the values of a property.
    public struct Publisher {
        fileprivate let storage: Storage

        fileprivate init(_ storage: Storage) { self.storage = storage }

        /// The value there is.
        package var current: Value { storage.value }

        /// Calls a closure before each change, with the new value, until it says false.
        package func listen(_ listener: @escaping (Value) -> Bool) { storage.listen(listener) }

        /// Keeps something as long as there is the property.
        package func keep(_ object: Any) { storage.kept.append(object) }

        /// The property, which is not held.
        package var weakProperty: WeakProperty { WeakProperty(storage: storage) }

        /// A property that may be gone.
        package struct WeakProperty {
            fileprivate weak var storage: Storage?

            /// Sets it, if it is there.
            package func set(_ value: Value) { storage?.set(value) }
        }
    }
}

extension Published.Publisher where Value: Sendable {
    /// The value there is, then each new one. Those that nobody has taken yet are kept.
    public var values: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream<Value>.makeStream()
        continuation.yield(storage.value)
        storage.listen { value in
            if case .terminated = continuation.yield(value) { false } else { true }
        }
        return stream
    }
}

/// What an object's publisher joins.
protocol PublishedStorage {
    /// Tells a publisher of changes from now on; the one that was joined first, or a new one, is returned.
    func join(_ publisher: ObservableObjectPublisher?) -> ObservableObjectPublisher
}

extension Published: PublishedStorage {
    func join(_ publisher: ObservableObjectPublisher?) -> ObservableObjectPublisher {
        let joined = storage.owner ?? publisher ?? ObservableObjectPublisher()
        storage.owner = joined
        return joined
    }
}
