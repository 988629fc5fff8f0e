import Foundation
import StratusCompatibility
import StratusSQLite

// Functions, which calculate as they do in memory (``SQLValueFunctions``). Decimal numbers take part as floating point.
extension FetchTranslation {
    func term(
        _ function: PredicateFunction, _ arguments: [SQLTerm], _ operand: PredicateOperand
    ) throws -> SQLTerm {
        let constants = arguments.compactMap { if case .constant(let value) = $0 { value } else { nil } }
        if constants.count == arguments.count, constants.count == function.arity, function != .random,
            function != .randomBelow
        {
            return .constant(PredicateCall.value(function, constants))
        }
        if arguments.count == 1, function.isOverLists {
            if case .collection(let members) = arguments[0] {
                try checkKeys(members)
                return try statistics(function, of: members)
            }
            if isGrouped, case .scalar(let sql, let kind) = arguments[0] { return group(function, sql, kind) }
        }
        if function == .noIndex, case .scalar = arguments[0] { return arguments[0] }
        let kinds = arguments.map(Self.kind)
        guard arguments.count == function.arity, kinds.allSatisfy({ $0 != nil }),
            let kind = function.kind(kinds.compactMap { $0 }, constants)
        else { throw FetchFailure("'\(operand.outline)' has no translation to SQL") }
        let name = [.random, .randomBelow].contains(function) ? SQLValueFunctions.callAnew : SQLValueFunctions.call
        return try call(name, function.rawValue, kind, arguments)
    }

    /// Returns a function over the members of a collection. Missing values are left out, but counted.
    func statistics(_ function: PredicateFunction, of collection: SQLCollection) throws -> SQLTerm {
        var kind = SQLKind.number
        let select = try select(collection) { member in
            guard function != .count else { return ("count(*)", nil) }
            guard case .scalar(let sql, let own) = try value(collection, of: member),
                case .scalar(let whole, let result) = group(function, sql, own)
            else { throw FetchFailure("'\(collection.relationship.name)' is not a collection of values") }
            kind = result
            return (whole, nil)
        }
        return .scalar("(\(select))", kind)
    }

    /// Returns a function over the values that an expression has in several rows.
    private func group(_ function: PredicateFunction, _ sql: String, _ kind: SQLKind) -> SQLTerm {
        let isOrdered = kind == .number || kind == .date
        switch function {
        case .count: return .scalar("count(\(sql))", .number)
        case .min where isOrdered: return .scalar("min(\(sql))", kind)
        case .max where isOrdered: return .scalar("max(\(sql))", kind)
        default:
            let result = [.min, .max, .mode].contains(function) ? kind : .number
            let name = SQLValueFunctions.statistics[function] ?? ""
            return .scalar("\(name)('\(result.code)\(kind.code)', \(number(sql)))", result)
        }
    }

    /// Returns a key of a text or a date; nil if there is no such key.
    func keyed(_ path: String, _ owner: SQLTerm) throws -> SQLTerm? {
        switch (owner, Self.keys[path]) {
        case (.constant(let value), _): return .constant(PredicateCall.value(forKey: path, of: value))
        case (.scalar(_, let kind), let key?) where kind == key.owner:
            return try call(SQLValueFunctions.key, path, key.kind, [owner])
        default: return nil
        }
    }

    private static let keys: [String: (owner: SQLKind, kind: SQLKind)] = {
        let numbers = ["length", "intValue", "integerValue", "longLongValue", "doubleValue", "floatValue", "boolValue"]
        let texts = [
            "uppercaseString", "lowercaseString", "capitalizedString", "lastPathComponent", "pathExtension",
            "description",
        ]
        var keys: [String: (owner: SQLKind, kind: SQLKind)] = [:]
        for name in numbers { keys[name] = (.string, .number) }
        for name in texts { keys[name] = (.string, .string) }
        for name in ["timeIntervalSinceReferenceDate", "timeIntervalSince1970"] { keys[name] = (.date, .number) }
        return keys
    }()

    func conditional(
        _ condition: String, _ first: SQLTerm, _ second: SQLTerm, _ operand: PredicateOperand
    ) throws -> SQLTerm {
        // A missing value goes with each type.
        let kinds = [first, second].filter { !Self.isNull($0) }.map(Self.kind)
        guard let kind = kinds.first ?? .number, kinds.allSatisfy({ $0 == kind }) else {
            throw FetchFailure("'\(operand.outline)': both values of TERNARY must be of one type")
        }
        let (first, second) = (try argument(first, kind), try argument(second, kind))
        return .scalar("CASE WHEN \(condition) THEN \(first) ELSE \(second) END", kind)
    }

    private func call(_ function: String, _ name: String, _ kind: SQLKind, _ arguments: [SQLTerm]) throws -> SQLTerm {
        let kinds = arguments.map { Self.kind($0) ?? .number }
        let values = try zip(arguments, kinds).map(argument)
        let codes = String([kind.code] + kinds.map(\.code))
        return .scalar("\(function)(\((["'\(name)'", "'\(codes)'"] + values).joined(separator: ", ")))", kind)
    }

    private func argument(_ term: SQLTerm, _ kind: SQLKind) throws -> String {
        switch term {
        case .scalar(let sql, _): return number(sql)
        // A decimal number is not a whole one to functions, even without a fraction.
        case .constant(.decimal(let value)): return try bind(.real(NSDecimalNumber(decimal: value).doubleValue))
        case .constant(let value): return try bind(kind.sqlite(value) ?? .null)
        case .collection, .list: throw FetchFailure("a function has a list as an argument")
        }
    }

    private func number(_ sql: String) -> String { decimals.contains(sql) ? "CAST(\(sql) AS REAL)" : sql }

    private static func isNull(_ term: SQLTerm) -> Bool { if case .constant(.null) = term { true } else { false } }

    private static func kind(_ term: SQLTerm) -> SQLKind? {
        switch term {
        case .scalar(_, let kind): kind
        case .constant(let value): value == .null ? .number : SQLKind(of: value)
        case .collection, .list: nil
        }
    }
}

extension PredicateFunction {
    /// Whether the function makes one value of several.
    var isOverLists: Bool { self == .count || SQLValueFunctions.statistics[self] != nil }

    /// The kind of the result for arguments of kinds; nil if the function has no translation to SQL.
    fileprivate func kind(_ arguments: [SQLKind], _ constants: [PredicateValue]) -> SQLKind? {
        switch self {
        case .uppercase, .lowercase, .canonical: return .string
        case .add, .subtract, .multiply, .divide: return arguments == [.date, .number] ? .date : .number
        case .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight, .complement,
            .squareRoot, .logarithm, .naturalLogarithm, .exponential, .floor, .ceiling, .absolute, .truncated,
            .random, .randomBelow, .length:
            return .number
        case .cast:
            guard case .string(let type)? = constants.last else { return nil }
            return [
                "NSNumber": .number, "NSDecimalNumber": .number, "NSString": .string, "NSDate": .date,
                "NSUUID": .uuid, "NSURL": .url, "NSData": .data,
            ][type]
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .now, .noIndex, .distinct,
            .tokenize, .tokenizeUsing, .distance:
            return nil
        }
    }
}
