import Foundation
import Synchronization

/// The name of a transformer, which programs and models find it by.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The text of the name.
    public let rawValue: String

    /// Takes a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Takes a text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The transformer that reads secure archives.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
    /// The transformer of old models for archives. It reads secure archives only.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName("NSKeyedUnarchiveFromData")
}

/// Turns values into others, such as objects into data. Foundation on Linux has no such class.
open class ValueTransformer: NSObject {
    // The reference never changes. The two classes here have no properties. Classes of programs are used from any thread, as
    // with Apple, and answer for properties of their own.
    private struct Registered: @unchecked Sendable {
        let transformer: ValueTransformer
    }

    private static let registered = Mutex<[NSValueTransformerName: Registered]>([
        .secureUnarchiveFromDataTransformerName: Registered(transformer: NSSecureUnarchiveFromDataTransformer()),
        .keyedUnarchiveFromDataTransformerName: Registered(transformer: NSSecureUnarchiveFromDataTransformer()),
    ])

    /// Makes a transformer.
    public override required init() { super.init() }

    /// Registers a transformer under a name, or takes it away.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
        let added = transformer.map { Registered(transformer: $0) }
        registered.withLock { $0[name] = added }
    }

    fileprivate static func find(_ name: NSValueTransformerName) -> ValueTransformer? {
        if let found = registered.withLock({ $0[name] })?.transformer { return found }
        return (NSClassFromString(name.rawValue) as? ValueTransformer.Type)?.init()
    }

    /// Returns the names of all registered transformers.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
        registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the class of the transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Returns whether transformed values can be turned back.
    open class func allowsReverseTransformation() -> Bool { false }

    /// Returns the transformed value.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value for a transformed one. Stops the program if the transformer does not allow it.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        precondition(Self.allowsReverseTransformation(), "\(Self.self) does not allow a reverse transformation")
        return transformedValue(value)
    }
}

/// Lets an initializer of `ValueTransformer` return a registered object; only in an extension of a protocol may an initializer
/// choose what `self` is.
public protocol ValueTransformerInitializable {}

extension ValueTransformer: ValueTransformerInitializable {}

extension ValueTransformerInitializable where Self: ValueTransformer {
    /// Returns the transformer that is registered under a name, or a new one of the class with the name. Returns nil if
    /// the name belongs to no transformer.
    public init?(forName name: NSValueTransformerName) {
        guard let found = ValueTransformer.find(name) as? Self else { return nil }
        self = found
    }
}

/// Turns data with a secure archive into the object in it, and back.
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that the object may have. Its parts may have them, too.
    open class var allowedTopLevelClasses: [AnyClass] { SecureArchive.ofPropertyLists }

    open override class func transformedValueClass() -> AnyClass { allowedTopLevelClasses.first ?? NSObject.self }

    open override class func allowsReverseTransformation() -> Bool { true }

    /// Returns the object in an archive; nil for data that is none, or that has an object of another class.
    open override func transformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { SecureArchive.object(in: $0, ofClasses: Self.allowedTopLevelClasses) }
    }

    /// Returns the archive of an object; nil for one that does not support secure coding.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        value.flatMap { SecureArchive.data(of: $0) }
    }
}
