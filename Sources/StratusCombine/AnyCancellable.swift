import Foundation

/// Ends something when it is told to, or when nobody holds it any more.
public final class AnyCancellable: Cancellable, Hashable {
    private let lock = NSLock()
    private var body: (() -> Void)?

    /// Ends by a closure, once.
    public init(_ cancel: @escaping () -> Void) { body = cancel }

    /// Ends something else.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { cancel() }

    /// Ends it; again does nothing.
    public func cancel() {
        let body = lock.withLock {
            defer { self.body = nil }
            return self.body
        }
        body?()
    }

    /// Puts it into a collection, so that it lasts as long.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(self)
    }

    /// Puts it into a set, so that it lasts as long.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    /// Whether both are the same object.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

    /// Hashes the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Cancellable {
    /// Puts it into a collection, so that it lasts as long.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }

    /// Puts it into a set, so that it lasts as long.
    public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}
