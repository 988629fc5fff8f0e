import Foundation
import StratusCompatibility
import StratusSQLite

/// Translates the predicate and the sort keys of one fetch to SQL.
///
/// A condition is true, false or NULL, and NULL counts as false: a negation makes it true. Memory has no third value.
final class FetchTranslation {
    let layout: StoreLayout
    /// The values of the parameters `?1`, `?2` and so on.
    private(set) var values: [SQLiteValue] = []
    private var scopes = 0
    var depth = 0
    /// The rows that the variables of the subqueries around stand for.
    var variables: [String: SQLScope] = [:]
    /// Columns with decimal numbers, of which SQLite keeps those without a fraction as integers.
    var decimals: Set<String> = []
    /// The named expressions of a fetch of dictionaries, which stand for key paths where results are grouped or sorted.
    var named: [String: PredicateOperand] = [:]
    /// Whether functions over lists go over the rows of a group.
    var isGrouped = false

    init(layout: StoreLayout) { self.layout = layout }

    func scope(_ entity: EntityLayout) -> SQLScope {
        scopes += 1
        return SQLScope(entity, alias: "t\(scopes)")
    }

    func bind(_ value: SQLiteValue) throws -> String {
        guard values.count < FetchLimits.constants else {
            throw FetchFailure("the predicate has more than \(FetchLimits.constants) constants")
        }
        values.append(value)
        return "?\(values.count)"
    }

    func condition(_ tree: PredicateTree, in scope: SQLScope) throws -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth <= FetchLimits.depth else {
            throw FetchFailure("predicates are more than \(FetchLimits.depth) deep inside each other")
        }
        switch tree {
        case .constant(let value): return value ? "1" : "0"
        case .and: return Self.join(try tree.flattened.map { try condition($0, in: scope) }, "AND", "1")
        case .or: return Self.join(try tree.flattened.map { try condition($0, in: scope) }, "OR", "0")
        case .not(let member): return not(try condition(member, in: scope))
        case .comparison(let comparison): return try condition(comparison, in: scope)
        case .code: throw FetchFailure("a predicate that is a block has no translation to SQL")
        }
    }

    /// Joins conditions in groups of groups, since SQLite limits how many follow each other.
    private static func join(_ conditions: [String], _ word: String, _ none: String) -> String {
        guard conditions.count > 1 else { return conditions.first ?? none }
        guard conditions.count > FetchLimits.group else { return "(\(conditions.joined(separator: " \(word) ")))" }
        let groups = stride(from: 0, to: conditions.count, by: FetchLimits.group).map { start in
            join(Array(conditions[start..<min(start + FetchLimits.group, conditions.count)]), word, none)
        }
        return join(groups, word, none)
    }

    private func not(_ condition: String) -> String { "(\(condition)) IS NOT TRUE" }

    private func condition(_ comparison: PredicateComparison, in scope: SQLScope) throws -> String {
        let left = try term(comparison.left, in: scope)
        let right = try term(comparison.right, in: scope)
        if case .constant = left, case .constant = right {
            return NSPredicate(.comparison(comparison)).evaluate(with: nil) ? "1" : "0"
        }
        let part = "\(comparison.left.outline) \(comparison.relation.rawValue)"
        func holds(_ member: SQLTerm) throws -> String {
            try relation(member, comparison.relation, right, comparison.options, part)
        }
        guard comparison.modifier != .direct else { return try holds(left) }
        guard case .collection(let collection) = left else {
            throw FetchFailure("'\(part)': ANY and ALL need a to-many relationship")
        }
        if comparison.modifier == .any { return try exists(collection, holds) }
        return not(try exists(collection) { not(try holds($0)) })
    }

    private func relation(
        _ left: SQLTerm, _ relation: PredicateComparison.Relation, _ right: SQLTerm,
        _ options: PredicateComparison.Options, _ part: String
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
        _ whole: SQLTerm, _ member: SQLTerm, _ options: PredicateComparison.Options, _ part: String
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
        _ term: SQLTerm, of constants: [PredicateValue], _ options: PredicateComparison.Options, _ part: String
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
        _ left: SQLTerm, _ right: SQLTerm, _ options: PredicateComparison.Options, _ part: String
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
                ? "\(sql) = \(parameter)" : try text(sql, .equalTo, parameter, options)
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
        _ options: PredicateComparison.Options, _ part: String
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

    private func value(_ term: SQLTerm, as kind: SQLKind, _ part: String) throws -> Side? {
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

    /// Returns the condition that a member of a collection satisfies one.
    private func exists(_ collection: SQLCollection, _ condition: (SQLTerm) throws -> String) throws -> String {
        try checkKeys(collection)
        let select = try select(collection) { member in
            let term = try value(collection, of: member)
            return ("1", try condition(term))
        }
        return "EXISTS (\(select))"
    }

    /// In memory an operator after other keys is one over the values of all members, such as a list of lists.
    func checkKeys(_ collection: SQLCollection) throws {
        guard !collection.rest.contains(where: { $0.hasPrefix("@") }) else {
            let path = ([collection.relationship.name] + collection.rest).joined(separator: ".")
            throw FetchFailure("'\(path)' has no translation to SQL")
        }
    }

    /// Returns the values of the members of a collection, as an expression over one of them.
    func value(_ collection: SQLCollection, of member: SQLScope) throws -> SQLTerm {
        let term = try term(collection.rest, in: member)
        if case .collection = term {
            throw FetchFailure(
                "a key path has a second to-many relationship after '\(collection.relationship.name)'")
        }
        return term
    }

    /// Returns a `SELECT` over the members of a collection.
    /// - Parameter parts: Returns what is selected of a member, and a condition besides those of subqueries.
    func select(
        _ collection: SQLCollection, _ parts: (SQLScope) throws -> (selected: String, condition: String?)
    ) throws -> String {
        let member = scope(try layout.entity(collection.relationship.destination))
        var conditions = try collection.filters.map { filter in
            depth += FetchLimits.depthOfSubquery
            defer { depth -= FetchLimits.depthOfSubquery }
            let hidden = variables.updateValue(member, forKey: filter.variable)
            defer { variables[filter.variable] = hidden }
            // Keys without the variable are those of the object that the whole predicate is asked of.
            return try condition(filter.predicate, in: filter.scope)
        }
        let (selected, further) = try parts(member)
        if let further { conditions.append(further) }
        return "SELECT \(selected) \(source(collection, member))" + conditions.map { " AND \($0)" }.joined()
    }

    /// `FROM` and `WHERE` of the members.
    private func source(_ collection: SQLCollection, _ member: SQLScope) -> String {
        let table = "\(quoted(member.entity.table)) \(member.alias)"
        switch collection.relationship.place {
        case .column(let column, _):
            return "FROM \(table)\(member.joins) WHERE \(member.alias).\(quoted(column)) = \(collection.owner)"
        case .table(let name, let owner, let key, _):
            let join = member.alias + "j"
            return "FROM \(quoted(name)) \(join) JOIN \(table) ON \(member.alias).Z_PK = \(join).\(quoted(key))"
                + "\(member.joins) WHERE \(join).\(quoted(owner)) = \(collection.owner)"
        }
    }
}

extension PredicateTree {
    /// The members of a conjunction or disjunction, in the place of members of the same type their members.
    fileprivate var flattened: [PredicateTree] {
        var (waiting, found): ([PredicateTree], [PredicateTree]) = ([self], [])
        while let next = waiting.popLast() {
            switch (self, next) {
            case (.and, .and(let members)), (.or, .or(let members)): waiting += members.reversed()
            default: found.append(next)
            }
        }
        return found
    }
}
