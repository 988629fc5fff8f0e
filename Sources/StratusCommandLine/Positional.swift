/// Makes the positional arguments of a command, which are told apart by their order.
public enum Positional {
    /// An argument without which the command is refused.
    public static func required<Value>(
        _ name: String, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<Value> {
        make(name, kind, help, isRequired: true) { values throws(UsageError) in
            guard let value = values.first else { throw UsageError("<\(name)> is missing") }
            return value
        }
    }

    /// An argument that may be left out. Only others of the kind, or a repeated one, may follow.
    public static func optional<Value>(
        _ name: String, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<Value?> {
        make(name, kind, help) { values throws(UsageError) in values.first }
    }

    /// All further arguments, none at all included. It must be the last.
    public static func repeated<Value>(
        _ name: String, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<[Value]> {
        make(name, kind, help, isRepeated: true) { values throws(UsageError) in values }
    }

    private static func make<Element, Value>(
        _ name: String, _ kind: ValueKind<Element>, _ help: String, isRequired: Bool = false, isRepeated: Bool = false,
        combine: @escaping @Sendable ([Element]) throws(UsageError) -> Value
    ) -> Parameter<Value> {
        let declaration = Declaration(
            name: name, short: nil, help: help, form: .positional, placeholder: kind.placeholder,
            notes: [kind.note].compactMap(\.self), isRequired: isRequired, isRepeated: isRepeated,
            completion: kind.completion
        ) { texts throws(UsageError) in try combine(kind.values(texts, title: "<\(name)>")) }
        return Parameter(declaration: declaration)
    }
}
