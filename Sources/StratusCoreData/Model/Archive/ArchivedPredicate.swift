import Foundation
import StratusCompatibility
import StratusModelFiles

/// Reads the predicates and expressions of an archive.
struct ArchivedPredicates {
    /// The failure for something that has no form in a format.
    struct Unreadable: Error {
        let reason: String
    }

    /// The number of predicates and expressions that may still be read. An archive may refer to one several times, so
    /// that a small one would otherwise stand for a tree of any size.
    private var remaining = Self.limit

    /// Whether a function that is not known is a method of its operand.
    private var allowsMethods = false

    /// The predicates and expressions of one format.
    static let limit = 2_000

    /// Returns the format of a predicate.
    static func format(ofPredicate object: ArchivedObject) throws(Unreadable) -> ModelFormat {
        var reader = ArchivedPredicates()
        return ModelFormat(try reader.predicate(object, depth: 0).description)
    }

    /// Returns an expression of a mapping model, which may call methods of objects.
    static func operand(of object: ArchivedObject) throws(Unreadable) -> PredicateOperand {
        var reader = ArchivedPredicates()
        reader.allowsMethods = true
        return try reader.operand(object, depth: 0)
    }

    /// Returns the format of an expression.
    static func format(ofExpression object: ArchivedObject) throws(Unreadable) -> ModelFormat {
        var reader = ArchivedPredicates()
        return ModelFormat(try reader.operand(object, depth: 0).description)
    }

    private mutating func count(_ depth: Int) throws(Unreadable) {
        remaining -= 1
        guard remaining > 0, depth < PredicateLimits.depth else { throw Unreadable(reason: "is too large") }
    }

    private mutating func predicate(_ object: ArchivedObject, depth: Int) throws(Unreadable) -> PredicateTree {
        try count(depth)
        switch object.className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSCompoundPredicate":
            var members: [PredicateTree] = []
            for member in object.elements("NSSubpredicates").compactMap(\.object) {
                members.append(try predicate(member, depth: depth + 1))
            }
            switch object.number("NSCompoundPredicateType") {
            case 0 where members.count == 1: return .not(members[0])
            case 1: return members.count == 1 ? members[0] : .and(members)
            case 2: return members.count == 1 ? members[0] : .or(members)
            default: throw Unreadable(reason: "has a compound of an unknown type")
            }
        case "NSComparisonPredicate": return try comparison(object, depth: depth)
        case let name: throw Unreadable(reason: "has a \(name), which is not known")
        }
    }

    private static let relations: [Int: PredicateComparison.Relation] = [
        0: .lessThan, 1: .lessThanOrEqualTo, 2: .greaterThan, 3: .greaterThanOrEqualTo, 4: .equalTo, 5: .notEqualTo,
        6: .matches, 7: .like, 8: .beginsWith, 9: .endsWith, 10: .in, 99: .contains, 100: .between,
    ]

    private mutating func comparison(_ object: ArchivedObject, depth: Int) throws(Unreadable) -> PredicateTree {
        guard let left = object.object("NSLeftExpression"), let right = object.object("NSRightExpression"),
            let kind = object.object("NSPredicateOperator"),
            let relation = Self.relations[kind.number("NSOperatorType")]
        else { throw Unreadable(reason: "has a comparison of an unknown type") }
        let modifier: PredicateComparison.Modifier =
            switch kind.number("NSModifier") {
            case 1: .all
            case 2: .any
            default: .direct
            }
        let comparison = PredicateComparison(
            try operand(left, depth: depth + 1), relation, try operand(right, depth: depth + 1), modifier: modifier,
            options: PredicateComparison.Options(rawValue: UInt(max(0, kind.number("NSOptions")))))
        // `!=` is archived as the negation of `==`, whose own number it has.
        let isNegated = kind.flag("NSNegate") && relation == .equalTo
        return isNegated ? .not(.comparison(comparison)) : .comparison(comparison)
    }

    private mutating func operand(_ object: ArchivedObject, depth: Int) throws(Unreadable) -> PredicateOperand {
        try count(depth)
        switch object.number("NSExpressionType") {
        case 0: return .value(try constant(object))
        case 1: return .evaluatedObject
        case 2: return .variable(object.text("NSVariable") ?? "")
        case 3,
            4 where object.className == "NSKeyPathExpression":
            guard let path = object.elements("NSArguments").first?.object else { break }
            let keys = path.text("NSKeyPath") ?? ""
            let target = try object.object("NSOperand").map { object throws(Unreadable) in
                try operand(object, depth: depth + 1)
            }
            return target == nil || target == .evaluatedObject
                ? .keyPath(keys) : .member(target ?? .evaluatedObject, keyPath: keys)
        case 4: return try function(object, depth: depth)
        case 14:
            var members: [PredicateOperand] = []
            for member in object.elements("NSCollection").compactMap(\.object) {
                members.append(try operand(member, depth: depth + 1))
            }
            return .aggregate(members)
        default: break
        }
        throw Unreadable(reason: "has a \(object.className), which is not known")
    }

    private mutating func function(_ object: ArchivedObject, depth: Int) throws(Unreadable) -> PredicateOperand {
        var arguments: [PredicateOperand] = []
        for argument in object.elements("NSArguments").compactMap(\.object) {
            arguments.append(try operand(argument, depth: depth + 1))
        }
        let name = object.text("NSSelectorName") ?? ""
        guard let known = PredicateFunction(rawValue: name), known.arity == arguments.count else {
            if allowsMethods, let target = object.object("NSOperand") {
                return .method(try operand(target, depth: depth + 1), selector: name, arguments)
            }
            throw Unreadable(reason: "has a function '\(name)', which is not known")
        }
        // A count of a relationship is written as a key, as in the editor of models.
        if known == .count, case .keyPath(let keys)? = arguments.first { return .keyPath(keys + ".@count") }
        return .function(name, arguments)
    }

    private func constant(_ object: ArchivedObject) throws(Unreadable) -> PredicateValue {
        switch object.value("NSConstantValue") {
        case nil, .null?: return .null
        case .boolean(let flag)?: return .bool(flag)
        case .integer(let number)?: return .integer(number)
        case .double(let number)?: return .double(number)
        case .string(let text)?: return .string(text)
        default: break
        }
        switch object.object("NSConstantValue").flatMap(ArchivedValue.init) {
        case .date(let date)?: return .date(date)
        case .decimal(let number)?: return .decimal(number)
        case .string(let text)?: return .string(text)
        case .uuid(let uuid)?: return .uuid(uuid)
        case .url(let url)?: return .url(url)
        default: throw Unreadable(reason: "has a constant of an unknown class")
        }
    }
}
