/// A JSON value as it stands on the wire. Numbers keep their spelling, so that nothing is lost by looking at them.
///
/// Tests read and write JSON with this type and not with the server's own reader, so that a mistake there shows.
public enum JSON: Hashable, Sendable {
    /// What a path leads to that is not there; never read from a text.
    case absent
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number in its spelling.
    case number(String)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object.
    case object([String: JSON])

    /// The member `key` of an object, ``absent`` if there is none.
    public subscript(key: String) -> JSON {
        get { object?[key] ?? .absent }
        set {
            var members = object ?? [:]
            // Not `nil`, which as a literal means `null` here.
            if newValue == .absent { members.removeValue(forKey: key) } else { members[key] = newValue }
            self = .object(members)
        }
    }

    /// The element at `index` of an array, ``absent`` if there is none.
    public subscript(index: Int) -> JSON {
        guard let array, array.indices.contains(index) else { return .absent }
        return array[index]
    }

    /// The text of a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }
    /// A whole number of 64 bits, if it is spelled as one.
    public var int: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }
    /// The nearest double of a number.
    public var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
    /// A boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    /// The members of an object.
    public var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }
    /// Whether there is a value, `null` included.
    public var isPresent: Bool { self != .absent }

    /// An array of strings.
    public static func strings(_ texts: some Sequence<String>) -> JSON { .array(texts.map(JSON.string)) }
    /// A whole number.
    public static func int(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// This object with further members, which win.
    public func merging(_ other: JSON) -> JSON {
        .object((object ?? [:]).merging(other.object ?? [:]) { $1 })
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(String(value)) }
    /// A number, in the shortest spelling that reads back.
    public init(floatLiteral value: Double) { self = .number("\(value)") }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// An object; members that are ``absent`` are left out.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements.filter { $0.1 != .absent }) { $1 })
    }
}
