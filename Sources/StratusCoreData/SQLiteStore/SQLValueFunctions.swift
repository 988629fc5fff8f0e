import StratusCompatibility
import StratusSQLite

/// The functions of SQL that calculate as expressions do in memory.
///
/// The kinds of the result and of the arguments (``SQLKind/code``) precede the arguments, and the name of a function or
/// key precedes these.
enum SQLValueFunctions {
    /// A function of ``PredicateFunction``.
    static let call = "stratus_call"
    /// The same for functions that depend on chance.
    static let callAnew = "stratus_call_anew"
    /// A key of a text or a date.
    static let key = "stratus_key"

    /// The functions of ``PredicateFunction`` over the values of several rows, with their names in SQL.
    static let statistics: [PredicateFunction: String] = [
        .sum: "stratus_sum", .average: "stratus_average", .min: "stratus_min", .max: "stratus_max",
        .median: "stratus_median", .mode: "stratus_mode", .standardDeviation: "stratus_deviation",
    ]

    static func add(to connection: SQLiteConnection) throws {
        try connection.addFunction(call, arguments: -1, result)
        try connection.addFunction(callAnew, arguments: -1, isDeterministic: false, result)
        try connection.addFunction(key, arguments: 3) { arguments in
            guard case .text(let key) = arguments[0], let values = Values(arguments[1], arguments[2...]) else {
                return .null
            }
            return values.result(PredicateCall.value(forKey: key, of: values.arguments[0]))
        }
        for (function, name) in statistics {
            try connection.addAggregate(name, arguments: 2) { Statistics(function) }
        }
    }

    private static func result(_ arguments: [SQLiteValue]) -> SQLiteValue {
        guard arguments.count >= 2, case .text(let name) = arguments[0],
            let function = PredicateFunction(rawValue: name),
            let values = Values(arguments[1], arguments[2...])
        else { return .null }
        return values.result(PredicateCall.value(function, values.arguments))
    }

    /// The arguments of a function and the kind of its result.
    private struct Values {
        let arguments: [PredicateValue]
        let kind: SQLKind

        init?(_ kinds: SQLiteValue, _ values: ArraySlice<SQLiteValue>) {
            guard case .text(let codes) = kinds, let kind = codes.first.flatMap(SQLKind.init(code:)),
                codes.count == values.count + 1
            else { return nil }
            self.kind = kind
            arguments = zip(codes.dropFirst(), values).map { SQLKind(code: $0)?.value($1) ?? .null }
        }

        func result(_ value: PredicateValue) -> SQLiteValue { kind.sqlite(value) ?? .null }
    }

    /// Collects the values that are not null.
    private final class Statistics: SQLiteAggregate {
        private let function: PredicateFunction
        private var kind = SQLKind.number
        private var values: [PredicateValue] = []

        init(_ function: PredicateFunction) { self.function = function }

        func step(_ arguments: [SQLiteValue]) {
            guard arguments[1] != .null, let row = Values(arguments[0], arguments[1...]) else { return }
            kind = row.kind
            values += row.arguments
            // A sum needs no memory for its parts.
            if function == .sum { values = [PredicateCall.value(.sum, [.list(values)])] }
        }

        var value: SQLiteValue { kind.sqlite(PredicateCall.value(function, [.list(values)])) ?? .null }
    }
}
