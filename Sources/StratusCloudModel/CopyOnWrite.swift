/// A large value that is passed on as one reference, and copied when it is changed while others have it, too. As a plain
/// structure, each of its texts and lists would be counted wherever it is passed on.
public struct CopyOnWrite<Value: Sendable>: Sendable {
    /// `@unchecked Sendable`: the value is changed only by a structure that alone refers to the object.
    @usableFromInline
    final class Storage: @unchecked Sendable {
        // Two accesses of one structure at a time are found where the structure is used.
        @usableFromInline @exclusivity(unchecked)
        var value: Value

        @usableFromInline
        init(_ value: Value) { self.value = value }
    }

    @usableFromInline
    var storage: Storage

    /// Puts a value behind a reference.
    @inlinable
    public init(_ value: Value) { storage = Storage(value) }

    /// The value.
    @inlinable
    public var value: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }
}

extension CopyOnWrite: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}

extension CopyOnWrite: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
