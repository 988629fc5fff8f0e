/// How the text of an argument becomes a value.
public struct ValueKind<Value: Sendable>: Sendable {
    /// What stands for the value in help: `number` becomes `<number>`.
    let placeholder: String
    /// A note on what is allowed, for help.
    let note: String?
    /// The value of a text, or an error that says what is allowed ("must be …").
    let parse: @Sendable (String) throws(UsageError) -> Value

    /// A kind of one's own. `parse` throws what the value must be: `UsageError("must be a date")`.
    public init(
        placeholder: String, note: String? = nil, parse: @escaping @Sendable (String) throws(UsageError) -> Value
    ) {
        self.placeholder = placeholder
        self.note = note
        self.parse = parse
    }

    /// A whole number in `range`.
    public static func integer(_ range: ClosedRange<Int>, placeholder: String = "number") -> ValueKind<Int>
    where Value == Int {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        return ValueKind(placeholder: placeholder, note: bounds) { text throws(UsageError) in
            guard let value = Int(text), range.contains(value) else {
                throw UsageError("must be a whole number from \(bounds)")
            }
            return value
        }
    }

    /// Any text but the empty one.
    public static func string(_ placeholder: String = "text") -> ValueKind<String> where Value == String {
        ValueKind(placeholder: placeholder) { text throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("must not be empty") }
            return text
        }
    }

    /// One of the cases of an enumeration, by their raw values.
    public static func choice(placeholder: String = "choice") -> ValueKind<Value>
    where Value: CaseIterable & RawRepresentable<String> {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind(placeholder: placeholder, note: names.joined(separator: ", ")) { text throws(UsageError) in
            guard let value = Value(rawValue: text) else {
                throw UsageError("must be one of \(names.joined(separator: ", "))")
            }
            return value
        }
    }
}
