import StratusCompatibility
import StratusSQLite

// Comparisons of a key path, a constant or another expression with another one.
extension FetchTranslation {
    func condition(_ comparison: PredicateComparison, in scope: SQLScope) throws -> String {
        let left = try term(comparison.left, in: scope)
        let right = try term(comparison.right, in: scope)
        if case .constant = left, case .constant = right {
            return NSPredicate(.comparison(comparison)).evaluate(with: nil) ? "1" : "0"
        }
        let part = ComparisonPart(comparison: comparison)
        func holds(_ member: SQLTerm) throws -> String {
            try relation(member, comparison.relation, right, comparison.options, part)
        }
        switch comparison.modifier {
        case .direct: return try holds(left)
        case .any: return try any(left, part, holds)
        case .all: return not(try any(left, part) { not(try holds($0)) })
        }
    }

    /// Returns the condition that one of several values satisfies one. A value stands for a list of it, as in memory,
    /// and a missing one for an empty list.
    private func any(
        _ term: SQLTerm, _ part: ComparisonPart, _ condition: (SQLTerm) throws -> String
    ) throws -> String {
        switch term {
        case .collection(let collection): return try exists(collection, condition)
        // A transformable value may be a list.
        case .scalar(_, .data), .scalar(_, .external):
            throw FetchFailure("'\(part)': ANY and ALL need a to-many relationship, a list or a value that is not data")
        case .scalar(let sql, _): return "(\(sql) IS NOT NULL AND \(try condition(term)))"
        case .constant(.null): return "0"
        case .constant, .list: return Self.join(try (Self.members(term) ?? [term]).map(condition), "OR", "0")
        }
    }

    private func relation(
        _ left: SQLTerm, _ relation: PredicateComparison.Relation, _ right: SQLTerm,
        _ options: PredicateComparison.Options, _ part: ComparisonPart
    ) throws -> String {
        switch relation {
        case .contains: return try contains(left, right, options, part)
        case .in: return try contains(right, left, options, part)
        case .between:
            guard let bounds = Self.members(right), bounds.count == 2 else {
                throw FetchFailure("'\(part)': BETWEEN needs a list of two values")
            }
            let least = try compare(left, .greaterThanOrEqualTo, bounds[0], options, part)
            let greatest = try compare(left, .lessThanOrEqualTo, bounds[1], options, part)
            return "(\(least) AND \(greatest))"
        case .equalTo: return try equal(left, right, options, part)
        case .notEqualTo: return not(try equal(left, right, options, part))
        default: return try compare(left, relation, right, options, part)
        }
    }

    private static func members(_ list: SQLTerm) -> [SQLTerm]? {
        switch list {
        case .constant(.list(let members)): members.map { .constant($0) }
        case .list(let members): members
        default: nil
        }
    }

    private func contains(
        _ whole: SQLTerm, _ member: SQLTerm, _ options: PredicateComparison.Options, _ part: ComparisonPart
    ) throws -> String {
        switch whole {
        case .collection(let collection): return try exists(collection) { try equal($0, member, options, part) }
        case .constant(.list(let constants)): return try isMember(member, of: constants, options, part)
        case .list(let members):
            return Self.join(try members.map { try equal($0, member, options, part) }, "OR", "0")
        case .constant(.null): return "0"
        case .constant(.string), .scalar(_, .string): return try compare(whole, .contains, member, options, part)
        default: throw FetchFailure("'\(part)': IN and CONTAINS need a list, a to-many relationship or a text")
        }
    }

    /// Constants that SQLite compares as predicates do are one list, so that many fit into a statement.
    private func isMember(
        _ term: SQLTerm, of constants: [PredicateValue], _ options: PredicateComparison.Options, _ part: ComparisonPart
    ) throws -> String {
        var (plain, conditions): ([String], [String]) = ([], [])
        for constant in constants {
            if case .scalar(_, let kind) = term, let value = try Self.sqlite(constant, as: kind, layout, part),
                Self.isPlain(value, options)
            {
                plain.append(try bind(value))
            } else {
                conditions.append(try equal(term, .constant(constant), options, part))
            }
        }
        if case .scalar(let sql, _) = term, !plain.isEmpty {
            conditions.append("\(sql) IN (\(plain.joined(separator: ", ")))")
        }
        return Self.join(conditions, "OR", "0")
    }

    private func equal(
        _ left: SQLTerm, _ right: SQLTerm, _ options: PredicateComparison.Options, _ part: ComparisonPart
    ) throws -> String {
        switch (left, right) {
        case (.scalar(_, .external), .scalar), (.scalar, .scalar(_, .external)):
            throw FetchFailure("'\(part)': data that may be external is compared only with nil")
        case (.scalar(_, .external), .constant(let value)) where value != .null:
            throw FetchFailure("'\(part)': data that may be external is compared only with nil")
        case (.constant, .scalar): return try equal(right, left, options, part)
        case (.scalar(let sql, _), .constant(.null)): return "\(sql) IS NULL"
        case (.scalar(let sql, let kind), .constant(let value)):
            guard let value = try Self.sqlite(value, as: kind, layout, part) else { return "0" }
            let parameter = try bind(value)
            return Self.isPlain(value, options)
                ? sql + " = " + parameter : try text(sql, .equalTo, parameter, options)
        case (.scalar(let left, let leftKind), .scalar(let right, let rightKind)):
            guard leftKind == rightKind else { return "(\(left) IS NULL AND \(right) IS NULL)" }
            return leftKind == .string ? try text(left, .equalTo, right, options) : "\(left) IS \(right)"
        case (.constant(let left), .constant(let right)):
            let comparison = PredicateComparison(.value(left), .equalTo, .value(right), options: options)
            return NSPredicate(.comparison(comparison)).evaluate(with: nil) ? "1" : "0"
        case (.list, _), (_, .list): throw FetchFailure("'\(part)': a list needs IN, CONTAINS or BETWEEN")
        default: throw FetchFailure("'\(part)': a to-many relationship needs ANY, ALL, IN, CONTAINS or @count")
        }
    }

    /// Relations that are false for null and between different kinds.
    private func compare(
        _ left: SQLTerm, _ relation: PredicateComparison.Relation, _ right: SQLTerm,
        _ options: PredicateComparison.Options, _ part: ComparisonPart
    ) throws -> String {
        if case .constant(let left) = left, case .constant(let right) = right {
            let comparison = PredicateComparison(.value(left), relation, .value(right), options: options)
            return NSPredicate(.comparison(comparison)).evaluate(with: nil) ? "1" : "0"
        }
        guard let kind = Self.kind(left) ?? Self.kind(right), Self.isOrder(relation) || kind == .string,
            [.string, .number, .date].contains(kind), let left = try value(left, as: kind, part),
            let right = try value(right, as: kind, part)
        else { return "0" }
        let (leftSQL, rightSQL) = (try sql(left), try sql(right))
        return kind == .string
            ? try text(leftSQL, relation, rightSQL, options) : "\(leftSQL) \(relation.rawValue) \(rightSQL)"
    }

    private static func isOrder(_ relation: PredicateComparison.Relation) -> Bool {
        [.lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo].contains(relation)
    }

    private static func kind(_ term: SQLTerm) -> SQLKind? { if case .scalar(_, let kind) = term { kind } else { nil } }

    /// A side of a comparison: an expression, or a constant that becomes a parameter once the other side is known to
    /// fit.
    private enum Side {
        case expression(String)
        case parameter(SQLiteValue)
    }

    private func value(_ term: SQLTerm, as kind: SQLKind, _ part: ComparisonPart) throws -> Side? {
        switch term {
        case .scalar(let sql, let own): own == kind ? .expression(sql) : nil
        case .constant(let value): try Self.sqlite(value, as: kind, layout, part).map { .parameter($0) }
        case .collection:
            throw FetchFailure("'\(part)': a to-many relationship needs ANY, ALL, IN, CONTAINS or @count")
        case .list: throw FetchFailure("'\(part)': a list needs IN, CONTAINS or BETWEEN")
        }
    }

    private func sql(_ side: Side) throws -> String {
        switch side {
        case .expression(let sql): sql
        case .parameter(let value): try bind(value)
        }
    }

    private func text(
        _ left: String, _ relation: PredicateComparison.Relation, _ right: String,
        _ options: PredicateComparison.Options
    ) throws -> String {
        let number = PredicateComparison.Relation.allCases.firstIndex(of: relation) ?? 0
        return "\(SQLTextFunction.name)(\(number), \(options.rawValue), \(left), \(right))"
    }

    /// Whether SQLite finds the same values equal to this one as predicates do. Those compare characters, so that only
    /// texts without some of ASCII's are equal to no other.
    private static func isPlain(_ value: SQLiteValue, _ options: PredicateComparison.Options) -> Bool {
        guard case .text(let text) = value else { return true }
        return options.isEmpty && text.utf8.allSatisfy { $0 < 0x80 && !"K;`".utf8.contains($0) }
    }
}

/// The name of a comparison in messages, which is made only for one.
struct ComparisonPart: CustomStringConvertible {
    let comparison: PredicateComparison

    var description: String { "\(comparison.left.outline) \(comparison.relation.rawValue)" }
}
