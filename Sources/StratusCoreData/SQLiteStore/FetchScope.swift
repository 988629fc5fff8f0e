import Foundation
import StratusCompatibility
import StratusSQLite

/// Limits of fetches. The documentation quotes this file.
enum FetchLimits {
    /// Predicates inside each other; those of `AND` in `AND` and of `OR` in `OR` count once. SQLite's parser has room
    /// for little more.
    static let depth = 24
    /// The predicates that a subquery counts as in ``depth``, besides its own.
    static let depthOfSubquery = 4
    /// Conditions that follow each other in SQL without parentheses.
    static let group = 200
    /// Constants of one fetch; a list counts with each of its members.
    static let constants = 30_000
    /// To-one relationships that the key paths of one fetch, or of one `ANY` or `ALL`, follow.
    static let joins = 60
}

/// A key path or a constant in SQL.
enum SQLTerm {
    case constant(PredicateValue)
    case scalar(String, SQLKind)
    case collection(SQLCollection)
    /// A list with members that are not constants.
    case list([SQLTerm])
}

/// The members of a to-many relationship, or values of them.
struct SQLCollection {
    let relationship: ToManyLayout
    /// The key of the owner.
    let owner: String
    /// Keys from each member on.
    var rest: ArraySlice<String>
    /// The subqueries around, the innermost first. A subquery of nothing has no members, but is not null.
    var filters: [Filter] = []

    /// A subquery: the members for which a predicate holds.
    struct Filter {
        let variable: String
        let predicate: PredicateTree
        /// The row that keys without the variable begin at.
        let scope: SQLScope
    }
}

/// Rows of an entity that a `SELECT` goes through, and the rows that their to-one relationships lead to.
final class SQLScope {
    let entity: EntityLayout
    let alias: String
    private(set) var joins = ""
    private var aliases: [String: (alias: String, entity: EntityLayout)] = [:]

    init(_ entity: EntityLayout, alias: String) {
        self.entity = entity
        self.alias = alias
    }

    /// Returns the alias of the row that a to-one relationship leads to.
    func join(_ property: PropertyLayout, from alias: String, to entity: EntityLayout) throws -> String {
        let column = "\(alias).\(quoted(property.column))"
        if let known = aliases[column] { return known.alias }
        guard aliases.count < FetchLimits.joins else {
            throw FetchFailure("the key paths follow more than \(FetchLimits.joins) to-one relationships")
        }
        let joined = "\(self.alias)_\(aliases.count + 1)"
        aliases[column] = (joined, entity)
        joins += " LEFT JOIN \(quoted(entity.table)) \(joined) ON \(joined).Z_PK = \(column)"
        return joined
    }
}
