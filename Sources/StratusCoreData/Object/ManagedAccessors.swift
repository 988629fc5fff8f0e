import Foundation

// Accessors of the properties of generated and ported classes. Xcode declares such properties as `@NSManaged`, and the
// Objective-C runtime makes their accessors; the build plugins write calls of these methods instead.

/// A type whose properties have a value although the object has none, as with Apple: zero, or an empty collection.
public protocol ManagedDefault {
    /// The value of a property for which the object has none.
    static var managedDefault: Self { get }
}

extension ManagedDefault where Self: ExpressibleByIntegerLiteral {
    /// Zero.
    public static var managedDefault: Self { 0 }
}

extension Int: ManagedDefault {}
extension Int16: ManagedDefault {}
extension Int32: ManagedDefault {}
extension Int64: ManagedDefault {}
extension Float: ManagedDefault {}
extension Double: ManagedDefault {}
extension Bool: ManagedDefault {
    /// False.
    public static var managedDefault: Bool { false }
}
extension String: ManagedDefault {
    /// The empty text.
    public static var managedDefault: String { "" }
}
extension Set: ManagedDefault {
    /// The empty set.
    public static var managedDefault: Set<Element> { [] }
}
extension Array: ManagedDefault {
    /// The empty array.
    public static var managedDefault: [Element] { [] }
}

extension NSManagedObject {
    /// Returns the value of a property; nil if it has no value.
    public func managedValue<Value>(forKey key: String) -> Value? {
        guard let value = value(forKey: key) else { return changes?.probe?.value() }
        // Without the type, the value would be cast to an optional one, which is nil for other types.
        let held: Value = required(value, key)
        return held
    }

    /// Returns the value of a property, or its default if it has no value.
    public func managedValue<Value: ManagedDefault>(forKey key: String) -> Value {
        guard let value = value(forKey: key) else { return .managedDefault }
        // The scalar form of a date.
        if let date = value as? Date, let seconds = date.timeIntervalSinceReferenceDate as? Value { return seconds }
        return required(value, key)
    }

    /// Returns the value of a property whose type is an enumeration.
    public func managedValue<Value: RawRepresentable>(forKey key: String) -> Value
    where Value.RawValue: ManagedDefault & FixedWidthInteger {
        let rawValue: Value.RawValue = managedValue(forKey: key)
        if let value = Value(rawValue: rawValue) { return value }
        // An object that only notes which properties a key path reads has no value of the enumeration.
        let some = changes?.probe == nil ? nil : (0...Int8.max).lazy.compactMap { Value(rawValue: .init($0)) }.first
        guard let value = some else {
            preconditionFailure("property '\(key)' of '\(entity.name ?? "")' is \(rawValue), which is no \(Value.self)")
        }
        return value
    }

    /// Returns the value of a property that has one. Stops the program otherwise, as with Apple.
    @_disfavoredOverload
    public func managedValue<Value>(forKey key: String) -> Value {
        guard let value = value(forKey: key) else {
            if let some: Value = changes?.probe?.value() { return some }
            preconditionFailure("property '\(key)' of '\(entity.name ?? "")' has no value and is not optional")
        }
        return required(value, key)
    }

    private func required<Value>(_ value: Any, _ key: String) -> Value {
        // A cast of a number succeeds only if the type holds it exactly.
        if let value = value as? Value { return value }
        if let number = value as? NSNumber, let value = AttributeConversion.truncated(number, as: Value.self) {
            return value
        }
        preconditionFailure(
            "property '\(key)' of '\(entity.name ?? "")' holds a \(type(of: value)) and is declared as \(Value.self)")
    }

    /// Sets the value of a property.
    public func setManagedValue<Value>(_ value: Value?, forKey key: String) { setValue(value, forKey: key) }

    /// Sets the value of a property whose type is an enumeration.
    public func setManagedValue<Value: RawRepresentable>(_ value: Value, forKey key: String)
    where Value.RawValue: ManagedDefault & FixedWidthInteger {
        setValue(value.rawValue, forKey: key)
    }

    /// Sets a number. One for a date is the scalar form of it.
    public func setManagedValue(_ value: Double, forKey key: String) {
        let isDate = entity.attributesByName[key]?.attributeType == .dateAttributeType
        setValue(isDate ? Date(timeIntervalSinceReferenceDate: value) : value, forKey: key)
    }

    /// Sets the destinations of a relationship.
    public func setManagedValue<Member: NSManagedObject>(_ value: Set<Member>?, forKey key: String) {
        setValue(value.map { NSSet(array: Array($0)) }, forKey: key)
    }

    /// Sets the value of the property that an accessor such as `primitiveName` belongs to, without notices of change.
    /// - Parameter key: The name of the accessor.
    public func setManagedPrimitiveValue<Value>(_ value: Value?, forKey key: String) {
        setPrimitiveValue(value, forKey: table.properties[position(ofAccessor: key)].name)
    }
}
