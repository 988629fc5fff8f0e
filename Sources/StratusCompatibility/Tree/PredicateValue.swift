/// A constant of a predicate, exactly as the program gave it.
public indirect enum PredicateValue: Hashable, Sendable {
    /// `nil`, `NULL` or an `NSNull`.
    case null
    /// `TRUE`, `FALSE` and Swift's booleans.
    case bool(Bool)
    case integer(Int64)
    /// Only for numbers above the greatest `Int64`.
    case unsigned(UInt64)
    case double(Double)
    case decimal(Decimal)
    case string(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case location(CLLocation)
    /// An array; a set, in no particular order.
    case list([PredicateValue])
    /// A dictionary with texts as keys.
    case dictionary([String: PredicateValue])
    /// Anything else, such as a `CKRecord.Reference`.
    case object(PredicateObject)
}

// The box never changes and touches the object only to compare, hash and describe it, which objects that stand as
// constants in a predicate must allow from anywhere, as on Apple's platforms, where a predicate is handed between
// threads with the same objects in it. What else is done with the object is the affair of the program that gave it.
/// An object of a program's own class in a predicate. Equal when the objects are.
public struct PredicateObject: Hashable, @unchecked Sendable, CustomStringConvertible {
    /// The object.
    public let object: NSObject

    /// Boxes an object.
    public init(_ object: NSObject) { self.object = object }

    /// Whether the objects say that they are equal.
    public static func == (left: PredicateObject, right: PredicateObject) -> Bool {
        left.object === right.object || left.object.isEqual(right.object)
    }

    /// Goes with equality.
    public func hash(into hasher: inout Hasher) { hasher.combine(object.hash) }

    /// The object's.
    public var description: String { object.description }
}
