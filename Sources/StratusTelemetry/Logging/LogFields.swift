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

/// A named value of a log line.
struct LogField: Sendable {
    let name: String
    let value: LogValue
}

/// Named values in order: `["status": 200, "route": .string(route)]`.
public struct LogFields: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var list: [LogField]

    /// The fields of a literal.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        list = elements.map { LogField(name: $0.0, value: $0.1) }
    }

    /// No fields yet, and room for as many as are expected.
    public init(capacity: Int) {
        list = []
        list.reserveCapacity(capacity)
    }

    /// Adds a field at the end.
    public mutating func append(_ name: String, _ value: LogValue) {
        list.append(LogField(name: name, value: value))
    }

    /// Adds a string at the end.
    public mutating func append(_ name: String, _ value: String) { append(name, .string(value)) }

    /// Adds a whole number at the end.
    public mutating func append(_ name: String, _ value: Int) { append(name, .integer(Int64(value))) }

    /// Adds the fields of `other` at the end.
    public mutating func append(_ other: LogFields) { list += other.list }
}
