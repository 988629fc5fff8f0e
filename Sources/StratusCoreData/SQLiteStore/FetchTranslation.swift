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
        return SQLScope(entity, alias: "t" + String(scopes))
    }

    func bind(_ value: SQLiteValue) throws -> String {
        guard values.count < FetchLimits.constants else {
            throw FetchFailure("the predicate has more than \(FetchLimits.constants) constants")
        }
        values.append(value)
        return "?" + String(values.count)
    }

    func condition(_ tree: PredicateTree, in scope: SQLScope) throws -> String {
        depth += 1
        defer { depth -= 1 }
        guard depth <= FetchLimits.depth else {
            throw FetchFailure("predicates are more than \(FetchLimits.depth) deep inside each other")
        }
        switch tree {
        case .constant(let value): return value ? "1" : "0"
        case .and:
            let members = tree.flattened
            let ranges = try rangeConditions(members, in: scope)
            return Self.join(ranges + (try members.map { try condition($0, in: scope) }), "AND", "1")
        case .or: return Self.join(try tree.flattened.map { try condition($0, in: scope) }, "OR", "0")
        case .not(let member): return not(try condition(member, in: scope))
        case .comparison(let comparison): return try condition(comparison, in: scope)
        case .code: throw FetchFailure("a predicate that is a block has no translation to SQL")
        }
    }

    /// Joins conditions in groups of groups, since SQLite limits how many follow each other.
    static func join(_ conditions: [String], _ word: String, _ none: String) -> String {
        guard conditions.count > 1 else { return conditions.first ?? none }
        guard conditions.count > FetchLimits.group else { return "(\(conditions.joined(separator: " \(word) ")))" }
        let groups = stride(from: 0, to: conditions.count, by: FetchLimits.group).map { start in
            join(Array(conditions[start..<min(start + FetchLimits.group, conditions.count)]), word, none)
        }
        return join(groups, word, none)
    }

    func not(_ condition: String) -> String { "(\(condition)) IS NOT TRUE" }
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
