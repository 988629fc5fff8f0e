import Foundation

// Foundation on Linux has the classes NSComparisonPredicate and NSExpression, but their initializers only stop the
// program, so no subclass of theirs can be made by the language's rules. It can be made beside them: an object of another
// class of ours, with the same superclass further up and the same properties, is made properly and then told that it is
// of the class that was wanted.
//
// That is right as long as the two classes lay their objects out the same way, which is so while Foundation's classes
// between them have no properties: then the sizes are equal. `fits` checks that, and first on classes of its own that
// sizes stand where they are read. If it does not hold, nothing is exchanged: comparisons are plain predicates (see
// `PredicateObjects`), and expressions, for which there is nothing plainer, are made from zeros.
enum ClassExchange {
    /// Whether objects of one class can become objects of the other.
    static func fits(_ source: AnyClass, _ target: AnyClass) -> Bool {
        readsSizes && size(of: source) == size(of: target)
    }

    /// The object, as one of another class that ``fits(_:_:)``.
    static func exchange<Source: AnyObject, Target: AnyObject>(_ object: Source, for target: Target.Type) -> Target {
        precondition(fits(Source.self, Target.self))
        return take(object, as: target)
    }

    /// An object of a class, with zeros in all of its properties: for classes whose properties, and those of their
    /// superclasses, are nil or numbers then.
    ///
    /// The object has more room than such objects take, as their size is what cannot be relied on.
    static func zeroed<Target: AnyObject>(_ target: Target.Type) -> Target {
        let words = 64
        let buffer = ManagedBuffer<Int, Int>.create(minimumCapacity: words) { buffer in
            buffer.withUnsafeMutablePointerToElements { $0.initialize(repeating: 0, count: words) }
            return 0
        }
        return take(buffer, as: target)
    }

    /// Not to be inlined, as a compiler that saw where the object was made could rely on its first class.
    @inline(never)
    private static func take<Target: AnyObject>(_ object: AnyObject, as target: Target.Type) -> Target {
        let address = Unmanaged.passRetained(object).toOpaque()
        address.storeBytes(of: unsafeBitCast(target as AnyClass, to: UnsafeRawPointer.self), as: UnsafeRawPointer.self)
        return Unmanaged<Target>.fromOpaque(address).takeRetainedValue()
    }

    private static let readsSizes =
        size(of: Small.self) == 16 + MemoryLayout<Int>.size && size(of: Large.self) == 16 + 4 * MemoryLayout<Int>.size

    /// Bytes of an object: two words that the runtime fills in, and the properties.
    private static func size(of type: AnyClass) -> UInt32 {
        unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self)
    }

    private final class Small {
        var property = 0
    }

    private final class Large {
        var properties = (0, 0, 0, 0)
    }
}
