/// The value of a field in a log line.
public enum LogValue: Sendable, Hashable {
    /// Text; longer than `TelemetryLimits.logText` bytes it is cut.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A number; not-a-number and the infinities are written as strings, since JSON has none.
    case double(Double)
    /// True or false.
    case bool(Bool)
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

/// Named values in order: `["status": 200, "route": .string(route)]`.
public struct LogFields: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var pairs: [(name: String, value: LogValue)]

    /// The fields of a literal.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Adds a field at the end.
    public mutating func append(_ name: String, _ value: LogValue) { pairs.append((name, value)) }

    /// Adds a string at the end.
    public mutating func append(_ name: String, _ value: String) { append(name, .string(value)) }

    /// Adds a whole number at the end.
    public mutating func append(_ name: String, _ value: Int) { append(name, .integer(Int64(value))) }

    /// Adds the fields of `other` at the end.
    public mutating func append(_ other: LogFields) { pairs += other.pairs }
}
