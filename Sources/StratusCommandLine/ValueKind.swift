/// How the text of an argument becomes a value.
public struct ValueKind<Value: Sendable>: Sendable {
    /// What stands for the value in help: `number` becomes `<number>`.
    let placeholder: String
    /// A note on what is allowed, for help.
    let note: String?
    /// What shells offer for the value.
    let completion: ValueCompletion
    /// The value of a text, or an error that says what is allowed ("must be …").
    let parse: @Sendable (String) throws(UsageError) -> Value

    /// A kind of one's own. `parse` throws what the value must be: `UsageError("must be a date")`.
    public init(
        placeholder: String, note: String? = nil, completion: ValueCompletion = .nothing,
        parse: @escaping @Sendable (String) throws(UsageError) -> Value
    ) {
        self.placeholder = placeholder
        self.note = note
        self.completion = completion
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
    public static func string(
        _ placeholder: String = "text", completion: ValueCompletion = .nothing
    ) -> ValueKind<String> where Value == String {
        ValueKind(placeholder: placeholder, completion: completion) { text throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("must not be empty") }
            return text
        }
    }

    /// One of the cases of an enumeration, by their raw values.
    public static func choice(placeholder: String = "choice") -> ValueKind<Value>
    where Value: CaseIterable & RawRepresentable<String> {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind(
            placeholder: placeholder, note: names.joined(separator: ", "), completion: .words(names)
        ) { text throws(UsageError) in
            guard let value = Value(rawValue: text) else {
                throw UsageError("must be one of \(names.joined(separator: ", "))")
            }
            return value
        }
    }
}

extension ValueKind<String> {
    /// The path of a file.
    public static var file: ValueKind<String> { string("file", completion: .files) }

    /// The path of a directory.
    public static var directory: ValueKind<String> { string("directory", completion: .directories) }
}

/// What a shell offers for a value.
public enum ValueCompletion: Hashable, Sendable {
    case nothing
    case files
    case directories
    case words([String])
}
