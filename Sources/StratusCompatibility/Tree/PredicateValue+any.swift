extension PredicateValue {
    /// Takes a value of any Swift or Foundation type. What is mutable is copied, as far as its kind is known here.
    public init(_ value: Any?) {
        guard let value = Self.unwrapped(value) else {
            self = .null
            return
        }
        self =
            Self.basic(value) ?? Self.number(value) ?? Self.collection(value)
            ?? .object(PredicateObject(Self.object(value)))
    }

    /// The value as Foundation has it: `NSNumber`, `NSString`, `NSArray` …; nil for null.
    public var object: Any? {
        switch self {
        case .null: nil
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .unsigned(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): NSString(string: value)
        case .date(let value): value as NSDate
        case .data(let value): value as NSData
        case .uuid(let value): value as NSUUID
        case .url(let value): value as NSURL
        case .location(let value): value
        case .list(let values): NSArray(array: values.map { $0.object ?? NSNull() })
        case .dictionary(let values): NSDictionary(dictionary: values.mapValues { $0.object ?? NSNull() })
        case .object(let value): value.object
        }
    }

    private static func basic(_ value: Any) -> PredicateValue? {
        switch value {
        case let value as String: .string(value)
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as CLLocation: .location(value)
        case let value as UUID: .uuid(value)
        case let value as URL: .url(value)
        case let value as Substring: .string(String(value))
        case let value as Character: .string(String(value))
        case is NSNull: .null
        default: nil
        }
    }

    private static func number(_ value: Any) -> PredicateValue? {
        switch value {
        case let value as NSDecimalNumber: .decimal(value.decimalValue)
        case let value as Decimal: .decimal(value)
        case let value as NSNumber: number(value)
        case let value as any BinaryInteger:
            Int64(exactly: value).map(PredicateValue.integer) ?? UInt64(exactly: value).map(PredicateValue.unsigned)
        case let value as any BinaryFloatingPoint: .double(Double(value))
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> PredicateValue {
        if CFBoolean.isOne(number) { return .bool(number.boolValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): return .unsigned(number.uint64Value)
        default: return .integer(number.int64Value)
        }
    }

    private static func collection(_ value: Any) -> PredicateValue? {
        switch value {
        case let values as NSOrderedSet: return .list(values.array.map { PredicateValue($0) })
        case let values as [Any]: return .list(values.map { PredicateValue($0) })
        case let values as NSSet: return .list(values.map { PredicateValue($0) })
        case let values as Set<AnyHashable>: return .list(values.map { PredicateValue($0.base) })
        case let values as [String: Any]: return .dictionary(values.mapValues { PredicateValue($0) })
        default: return nil
        }
    }

    /// The object that the value is; any other value can also be cast to one, which then hides its properties.
    private static func object(_ value: Any) -> NSObject {
        guard type(of: value) is AnyClass, let object = value as? NSObject else { return OpaqueValue(value) }
        return object
    }

    /// Takes the optionals off that `Any` can hide.
    static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any AnyOptional else { return value }
        return unwrapped(optional.wrapped)
    }
}

/// Sees through `Any` whether it is an optional.
private protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { map { $0 as Any } }
}

/// `NSNumber` keeps booleans as two particular objects, which no other number is.
enum CFBoolean {
    static func isOne(_ number: NSNumber) -> Bool { number === yes || number === no }

    private static let yes = NSNumber(value: true)
    private static let no = NSNumber(value: false)
}

/// A Swift value that is no object, for the few places that ask for one.
final class OpaqueValue: NSObject {
    let value: Any

    init(_ value: Any) { self.value = value }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OpaqueValue else { return false }
        guard let value = value as? any Hashable, let others = other.value as? any Hashable else {
            return self === other
        }
        return AnyHashable(value) == AnyHashable(others)
    }

    override var hash: Int { (value as? any Hashable)?.hashValue ?? ObjectIdentifier(self).hashValue }
    override var description: String { String(describing: value) }
}
