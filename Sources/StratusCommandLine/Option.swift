/// Makes the options of a command. Names are written without dashes.
public enum Option {
    /// `--name`, on or off.
    public static func flag(_ name: String, short: Character? = nil, help: String) -> Parameter<Bool> {
        let declaration = Declaration(
            name: name, short: short, help: help, form: .flag, placeholder: "", notes: [], isRequired: false,
            isRepeated: true
        ) { texts throws(UsageError) in !texts.isEmpty }
        return Parameter(declaration: declaration)
    }

    /// `--name value`, which may be left out.
    public static func optional<Value>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<Value?> {
        make(name, short, kind, help) { values throws(UsageError) in values.last }
    }

    /// `--name value`, or `standard` if left out.
    public static func value<Value>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, default standard: Value, help: String
    ) -> Parameter<Value> {
        make(name, short, kind, help, note: "default: \(standard)") { values throws(UsageError) in
            values.last ?? standard
        }
    }

    /// `--name value`, without which the command is refused.
    public static func required<Value>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<Value> {
        make(name, short, kind, help, note: "required", isRequired: true) { values throws(UsageError) in
            guard let value = values.last else { throw UsageError("--\(name) is required") }
            return value
        }
    }

    /// `--name value` any number of times.
    public static func repeated<Value>(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, help: String
    ) -> Parameter<[Value]> {
        make(name, short, kind, help, note: "may be repeated", isRepeated: true) { values throws(UsageError) in values }
    }

    private static func make<Element, Value>(
        _ name: String, _ short: Character?, _ kind: ValueKind<Element>, _ help: String, note: String? = nil,
        isRequired: Bool = false, isRepeated: Bool = false,
        combine: @escaping @Sendable ([Element]) throws(UsageError) -> Value
    ) -> Parameter<Value> {
        let declaration = Declaration(
            name: name, short: short, help: help, form: .option, placeholder: kind.placeholder,
            notes: [kind.note, note].compactMap(\.self), isRequired: isRequired, isRepeated: isRepeated,
            completion: kind.completion
        ) { texts throws(UsageError) in try combine(kind.values(texts, title: "--\(name)")) }
        return Parameter(declaration: declaration)
    }
}

extension ValueKind {
    /// The values of `texts`; an error names the parameter by its `title`.
    func values(_ texts: [String], title: String) throws(UsageError) -> [Value] {
        var values: [Value] = []
        for text in texts {
            do throws(UsageError) { values.append(try parse(text)) } catch {
                throw UsageError("\(title) \(error.message), not '\(text)'")
            }
        }
        return values
    }
}
